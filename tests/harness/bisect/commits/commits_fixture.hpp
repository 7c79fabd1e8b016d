// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::bisect {

/// A generated repository below the test's folder. Its trainer copies the trace that its file `value` names.
/// The program is called from next to it.
class CommitsTest : public cli::ProgramTest {
 protected:
  using Files = std::map<std::string, std::string>;

  void SetUp() override {
    cli::ProgramTest::SetUp();
    for (const char* name : {"small", "big", "both"}) {
      std::vector<double> losses = falling_losses();
      losses[3] += name == std::string("small") ? 0.001 : 0.5;
      losses[4] += name == std::string("both") ? 0.001 : 0;
      write_trace(name, losses);
    }
    git("init -q -b main .", "mkdir -p repo && cd repo && ");
    git("config user.name t");
    git("config user.email t@example.org");
  }

  /// Commits files (an empty text removes one) with this subject. \return its id
  std::string commit(const std::string& subject, const Files& files = {}) const {
    for (const auto& [name, text] : files)
      text.empty() ? static_cast<void>(std::filesystem::remove(repository() / name))
                   : write_file(repository() / name, text);
    return git("add -A && git commit -q --allow-empty -m '" + subject + "' && git rev-parse HEAD");
  }
  /// Makes "first", tagged good, and then one commit after the other, called "commit 1" and so on. A commit
  /// without files changes only notes.
  void commits(size_t count, const std::map<size_t, Files>& files) const {
    commit("first", {{"value", "a\n"}, {"train.sh", "cp " + store() + "/$(cat value).h5 $PARITY_TRACE\n"}});
    git("tag good");
    for (size_t i = 1; i <= count; ++i)
      commit("commit " + std::to_string(i),
             files.contains(i) ? files.at(i) : Files{{"notes", std::to_string(i) + "\n"}});
  }

  std::string git(const std::string& words, const std::string& before = "cd repo && ") const {
    ProcessSpec command = spec("true");
    command.argv.back() = "cd '" + folder_.string() + "' && " + before + "git " + words;
    Process process = Process::spawn(command);
    const auto status = process.wait_for(std::chrono::seconds(30));
    EXPECT_TRUE(status && status->succeeded()) << words << ": " << read_file(folder_ / "stderr");
    std::string out = read_file(folder_ / "stdout");
    while (out.ends_with('\n'))
      out.pop_back();
    return out;
  }
  std::filesystem::path repository() const { return folder_ / "repo"; }
  std::string store() const { return (folder_ / "cases/topic").string(); }

  static std::string line_of(const std::string& words) { return "bisect commits --repository repo " + words; }
  cli::Outcome search(const std::string& words) const { return parity(line_of(words)); }
  /// Returns the record of a search that found a commit.
  Json found(const std::string& words) const {
    const cli::Outcome outcome = search(words + " --json");
    EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
    return Json::parse(outcome.out);
  }
  static std::vector<std::string> subjects(const Json& record) {
    std::vector<std::string> names;
    for (const Json& stage : record.at("stages"))
      if (stage.at("name") == "step")
        names.push_back(stage.at("details").at("subject"));
    return names;
  }
  static Json stage(const Json& record, const std::string& name) {
    for (const Json& each : record.at("stages"))
      if (each.at("name") == name)
        return each;
    return nullptr;
  }

  /// Returns everything in the repository that a search must not change: HEAD, refs, index, work tree, its
  /// own bisection, work trees.
  std::string state() const {
    return git("rev-parse HEAD") + "\n" + git("for-each-ref") + "\n" +
           read_file(repository() / ".git/index") + "\n" + git("status --porcelain --ignored") + "\n" +
           git("worktree list") + "\n" + git("diff") + git("stash list") + git("config --list --local");
  }
  bool has_worktree() const {
    return std::filesystem::exists(folder_ / "out/suite/bisect/commits/worktree") ||
           std::filesystem::exists(repository() / ".git/worktrees");
  }

  static std::string run_script() { return "--run 'sh train.sh' "; }
};

}  // namespace parity::bisect
