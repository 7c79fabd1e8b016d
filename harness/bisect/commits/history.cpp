// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/history.hpp"

#include <set>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::bisect {
namespace {

constexpr const char* format = "--format=%H%x1f%P%x1f%T%x1f%s";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

Commit parse_commit(const std::string& line) {
  const std::vector<std::string> fields = split(line, '\x1f');
  require(fields.size() >= 3, "git prints a commit in the requested format: " + line);
  return {fields[0], split(fields[1], ' '), fields[2], fields.size() > 3 ? fields[3] : ""};
}

std::vector<std::string> with_paths(std::vector<std::string> words, const std::vector<std::string>& paths) {
  words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  return words;
}

/// Returns the line without commits whose tree is that of the previous one.
CommitLine without_repeats(const CommitLine& line) {
  CommitLine kept;
  for (const Commit& commit : line)
    if (kept.empty() || kept.back().tree != commit.tree)
      kept.push_back(commit);
  return kept;
}

}  // namespace

std::string Commit::text() const {
  return short_id() + " (\"" + escape_to_line(subject) + "\")";
}

History::History(const suite::Git& git) : git_(git) {
  if (!git_.succeeds({"rev-parse", "--git-dir"}))
    throw UserError(fmt::format(
        "cannot search {} (it is not in a git repository); name a folder of a repository with --repository",
        escape_for_terminal(git_.folder().string())));
}

Commit History::commit(const std::string& revision) const {
  const std::optional<std::string> id = git_.commit_of(revision);
  if (!id)
    throw UserError(
        fmt::format("unknown revision '{}' (no commit of the repository has this name); 'git log --oneline' "
                    "lists the commits, 'git fetch --tags' fetches more",
                    escape_to_line(revision)));
  return parse_commit(git_.output({"log", "-1", "--no-color", "--no-show-signature", format, *id, "--"}));
}

CommitLine History::commits_between(const std::string& excluded, const std::string& last,
                                    const std::vector<std::string>& paths) const {
  const std::string range = excluded + ".." + last;
  std::set<std::string> touching;
  if (!paths.empty())
    for (const std::string& id :
         split(git_.output(with_paths({"rev-list", "--first-parent", range}, paths)), '\n'))
      touching.insert(id);
  CommitLine line;
  const std::string all = git_.output(
      {"log", "--first-parent", "--reverse", "--no-color", "--no-show-signature", format, range, "--"});
  for (const std::string& each : split(all, '\n')) {
    Commit commit = parse_commit(each);
    if (line.empty() && !commit.parents.empty())
      line.push_back(this->commit(commit.parents.front()));
    else if (line.empty())
      line.push_back({});  // a root commit has no parent
    if (paths.empty() || touching.contains(commit.id))
      line.push_back(std::move(commit));
  }
  return line;
}

CommitLine History::line(const Commit& good, const Commit& bad, const std::vector<std::string>& paths) const {
  if (good.tree == bad.tree)
    return {good};
  CommitLine line = commits_between(good.id, bad.id, paths);
  if (line.empty())
    throw UserError(
        fmt::format("cannot search from {} to {} (the bad commit is an ancestor of the good one); to search "
                    "the other way: parity bisect commits {} {}",
                    good.text(), bad.text(), bad.short_id(), good.short_id()));
  const bool are_related = git_.succeeds({"merge-base", good.id, bad.id});
  if (line.front().id.empty() && are_related)
    throw UserError(
        fmt::format("cannot search from {} to {} (a merge brought the good one in from another root, so no "
                    "first parent leads "
                    "back to it); give a commit that this lists: git log --first-parent {}",
                    good.text(), bad.text(), bad.short_id()));
  if (!are_related)
    throw UserError(fmt::format("cannot search from {} to {} (they have no common history{}", good.text(),
                                bad.text(),
                                git_.output({"rev-parse", "--is-shallow-repository"}) == "true"
                                    ? " in this shallow clone); fetch the rest with: git fetch --unshallow"
                                    : "); give two commits of one history"));
  return without_repeats(line);
}

CommitLine History::branch_line(const std::string& other, const std::string& parent,
                                const std::vector<std::string>& paths) const {
  CommitLine line = commits_between(other, parent, paths);
  if (line.size() < 2 || line.front().id.empty())
    return {};
  return without_repeats(line);
}

bool History::has_uncommitted_changes() const {
  return git_.succeeds({"rev-parse", "--is-inside-work-tree"}) &&
         !git_.output({"status", "--porcelain", "--untracked-files=no"}).empty();
}

}  // namespace parity::bisect
