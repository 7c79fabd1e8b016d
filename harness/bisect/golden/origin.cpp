// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/origin.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/bisect/commits/history.hpp"
#include "harness/bisect/commits/question.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

class OriginSearch {
 public:
  OriginSearch(const golden::Golden& golden, const suite::Case& source, std::string arm,
               const suite::RunSettings& options)
      : golden_(golden),
        source_(source),
        arm_(std::move(arm)),
        options_(options),
        git_(fs::absolute(source.file).parent_path()),
        history_(git_),
        head_(history_.commit("HEAD")) {}

  GoldenOriginCommit search() {
    const std::optional<std::string> brought = commit_of_file();
    const std::optional<std::string> recorded = commit_of_program();
    if (!brought && !recorded)
      return {
          "",
          fmt::format(
              "{}, and the file is not committed in this state, so no commit is known to reproduce it; check "
              "out a commit that you trust, and run parity golden verify",
              describe_recording(false)),
          ""};
    const Commit good = history_.commit(brought ? *brought : *recorded);
    found_.good = good.id;
    found_.words = brought ? fmt::format("{} was committed in {} ({})", path_from_here(source_.golden_file),
                                         good.text(), describe_recording(recorded.has_value()))
                           : describe_recording(true) + ", " + good.text();
    add_commits(good);
    return found_;
  }

 private:
  /// Returns the commit that added the present golden; nothing if the file is changed or not committed.
  std::optional<std::string> commit_of_file() const {
    const std::string file = fs::weakly_canonical(source_.golden_file).string();
    if (!git_.succeeds({"ls-files", "--error-unmatch", "--", file}) ||
        !git_.output({"status", "--porcelain", "--", file}).empty())
      return std::nullopt;
    const std::string id = git_.output({"log", "-1", "--format=%H", "--", file});
    return id.empty() ? std::nullopt : std::optional(id);
  }

  /// Returns the commit of the recording program, if it is in this history.
  std::optional<std::string> commit_of_program() const {
    const std::string& stated = golden_.origin.commit;
    if (stated.size() < 7 || stated.find_first_not_of("0123456789abcdef") != std::string::npos)
      return std::nullopt;
    const std::optional<std::string> id = git_.commit_of(stated);
    return id && git_.succeeds({"merge-base", "--is-ancestor", *id, "HEAD"}) ? id : std::nullopt;
  }

  std::string describe_recording(bool is_here) const {
    const std::string& commit = golden_.origin.commit;
    return fmt::format("recorded by {}{}", escape_to_line(golden_.origin.producer),
                       commit.empty() || commit == "unknown"
                           ? ""
                           : fmt::format(" of commit {}{}", escape_to_line(commit),
                                         is_here ? "" : ", which is not in the history of this repository"));
  }

  void add_commits(const Commit& good) {
    const size_t between =
        std::stoul(git_.output({"rev-list", "--count", "--first-parent", good.id + ".." + head_.id}));
    const bool uncommitted = history_.has_uncommitted_changes();
    if (between == 0 || good.tree == head_.tree) {
      found_.words +=
          uncommitted
              ? "; that is HEAD, so the cause is an uncommitted change, or not in the source"
              : "; that is HEAD and no file is changed, so the cause is not in the source: another build, "
                "library or machine, or the golden comes from files that were never committed";
      found_.command =
          uncommitted ? shell_quote({"git", "-C", path_from_here(git_.folder()), "diff", "HEAD"}) : "";
      return;
    }
    found_.words += fmt::format("; {} since then", compare::count_text(between, "commit"));
    if (uncommitted)
      found_.words += ", and uncommitted changes, which are not searched";
    add_command(good);
  }

  void add_command(const Commit& good) {
    CommitQuestion question;
    question.good = good.id;
    question.bad = "HEAD";
    question.source = source_;
    question.arms = {arm_};
    question.suite = options_;
    try {
      complete_question(question, git_);
    } catch (const UserError& error) {
      found_.words += std::string("; they cannot be searched: ") + error.what();
      return;
    }
    std::vector<std::string> words = {
        "parity", "bisect", "commits", good.short_id(), "HEAD", "--case", path_from_here(source_.file),
        "--arm",  arm_};
    const suite::Git here(".");
    if (here.output_or_empty({"rev-parse", "--show-toplevel"}) !=
        git_.output_or_empty({"rev-parse", "--show-toplevel"}))
      words.insert(words.end(), {"--repository", path_from_here(git_.folder())});
    suite::add_out_option(words, options_.out);
    found_.command = shell_quote(words);
  }

  const golden::Golden& golden_;
  const suite::Case& source_;
  const std::string arm_;
  const suite::RunSettings& options_;
  suite::Git git_;
  History history_;
  Commit head_;
  GoldenOriginCommit found_;
};

}  // namespace

GoldenOriginCommit golden_origin(const golden::Golden& golden, const suite::Case& source,
                                 const std::string& arm, const suite::RunSettings& options) {
  const suite::Git git(fs::absolute(source.file).parent_path());
  if (!git.succeeds({"rev-parse", "--git-dir"}))
    return {"", "the case is not in a git repository, so no commits can be searched", ""};
  try {
    return OriginSearch(golden, source, arm, options).search();
  } catch (const UserError& error) {
    return {"", std::string("no commits can be searched: ") + error.what(), ""};
  }
}

}  // namespace parity::bisect
