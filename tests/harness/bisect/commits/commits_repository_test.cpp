// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/harness/bisect/commits/commits_fixture.hpp"

namespace parity::bisect {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A search changes nothing in the repository, and reports histories that it cannot search.
class CommitsRepositoryTest : public CommitsTest {
 protected:
  /// Starts a search whose runs of "slow" commits wait, and ends it there. \return its exit status; -2: a
  /// signal
  int end_in_the_middle(int signal) const {
    ProcessSpec command = spec("parity " + line_of("good " + slow()));
    command.group = 0;
    Process process = Process::spawn(command);
    for (int i = 0; i < 400 && !fs::exists(folder_ / "waits"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    EXPECT_TRUE(fs::exists(folder_ / "waits")) << read_file(folder_ / "stderr");
    ::kill(process.pid(), signal);
    const auto status = process.wait_for(std::chrono::seconds(20));
    fs::remove(folder_ / "waits");
    return status ? status->exit_status().value_or(-2) : -3;
  }
  pid_t sleeper() const { return static_cast<pid_t>(std::stol(read_file(folder_ / "sleeper"))); }
  /// Returns whether the process that a slow commit waits for exists.
  bool still_sleeps() const {
    const std::string process = "/proc/" + std::to_string(sleeper());
    std::ifstream words(process + "/cmdline");  // empty for a process that ended but was not reaped
    return words.peek() != std::ifstream::traits_type::eof();
  }
  /// Both ends give an answer; the first commit between them waits once.
  std::string slow() const {
    return "--run 'if test -e middle -a ! -e " + folder_.string() + "/waited; then touch " +
           folder_.string() + "/waited; sleep 60 & echo $! > " + folder_.string() + "/sleeper; touch " +
           folder_.string() + "/waits; wait; fi; sh train.sh'";
  }
  void slow_commits() const {
    commits(4, {{1, {{"middle", "1\n"}}}, {3, {{"value", "big\n"}}}, {4, {{"middle", ""}}}});
  }
};

TEST_F(CommitsRepositoryTest, NothingOfTheRepositoryChanges) {
  commits(6, {{4, {{"value", "big\n"}}}});
  write_file(repository() / "value", "changed, not committed\n");
  write_file(repository() / "staged", "x\n");
  git("add staged");
  write_file(repository() / "untracked", "x\n");
  write_file(repository() / ".git/hooks/post-checkout",
             "#!/bin/sh\ntouch " + folder_.string() + "/hook-ran\n");
  fs::permissions(repository() / ".git/hooks/post-checkout", fs::perms::owner_all);
  git("bisect start --no-checkout main good");
  const std::string before = state();
  const std::string own_bisection = git("bisect log");
  const cli::Outcome outcome = search("good main " + run_script());
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("commit 4"), HasSubstr("uncommitted changes")));
  EXPECT_EQ(state(), before);
  EXPECT_EQ(git("bisect log"), own_bisection);
  EXPECT_FALSE(has_worktree());
  EXPECT_FALSE(fs::exists(folder_ / "hook-ran"));
}

TEST_F(CommitsRepositoryTest, AnOutputFolderInTheWorkTreeIsNotSeenByGit) {
  commits(4, {{4, {{"value", "big\n"}}}});
  const std::string before = git("status --porcelain");
  EXPECT_EQ(search("good " + run_script() + "--out repo/out/suite").status, 1);
  EXPECT_EQ(git("status --porcelain"), before);
}

TEST_F(CommitsRepositoryTest, AnOutputFolderBehindALinkIsClearedToo) {
  commits(3, {{2, {{"value", "big\n"}}}});
  fs::create_directories(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "link");
  const std::string before = state();
  EXPECT_EQ(search("good " + run_script() + "--out link/suite").status, 1);
  EXPECT_EQ(state(), before);
  EXPECT_FALSE(has_worktree());
}

TEST_F(CommitsRepositoryTest, AWorkTreeWhoseFolderIsGoneIsForgotten) {
  slow_commits();
  EXPECT_EQ(end_in_the_middle(SIGKILL), -2);
  fs::remove_all(folder_ / "out");
  ::kill(sleeper(), SIGKILL);  // it had the mark by which the next search would find it
  EXPECT_TRUE(has_worktree());
  EXPECT_THAT(subjects(found("good " + slow())), ElementsAre("commit 3"));
  EXPECT_FALSE(has_worktree());
}

TEST_F(CommitsRepositoryTest, CtrlC_RestoresTheTreeAndSameCommandResumes) {
  slow_commits();
  const std::string before = state();
  EXPECT_EQ(end_in_the_middle(SIGINT), 130);
  EXPECT_THAT(read_file(folder_ / "stderr"), HasSubstr("the same command resumes"));
  EXPECT_EQ(state(), before);
  EXPECT_FALSE(has_worktree());
  const Json record = found("good " + slow());
  EXPECT_THAT(subjects(record), ElementsAre("commit 3"));
  EXPECT_EQ(record.at("runs").at("cached"), 2);
}

TEST_F(CommitsRepositoryTest, AKilledSearchIsClearedAwayByTheNextThatGoesOn) {
  slow_commits();
  const std::string before = state();
  EXPECT_EQ(end_in_the_middle(SIGKILL), -2);
  EXPECT_TRUE(has_worktree());
  for (int i = 0; i < 100 && still_sleeps(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(still_sleeps()) << "a guard ends the build of a search that was killed";
  const Json record = found("good " + slow());
  EXPECT_THAT(subjects(record), ElementsAre("commit 3"));
  EXPECT_EQ(record.at("runs").at("cached"), 2);
  EXPECT_FALSE(has_worktree());
  EXPECT_FALSE(still_sleeps());
  EXPECT_EQ(state(), before);
}

TEST_F(CommitsRepositoryTest, SecondCall_AsksEveryCommitAgain) {
  commits(8, {{6, {{"value", "big\n"}}}});
  const Json first = found("good " + run_script());
  const Json second = found("good " + run_script());
  EXPECT_EQ(second.at("runs").at("executed"), first.at("runs").at("executed"));
  EXPECT_EQ(second.at("runs").at("cached"), 0);
  EXPECT_EQ(subjects(second), subjects(first));
}

TEST_F(CommitsRepositoryTest, RefusedSide_IsAskedAgainByTheNextCall) {
  commits(2, {{2,
               {{"train.sh", "test -e " + folder_.string() + "/installed || exit 125; cp " + store() +
                                 "/big.h5 $PARITY_TRACE\n"}}}});
  EXPECT_EQ(search("good " + run_script()).status, 2);
  write_file(folder_ / "installed", "x\n");
  EXPECT_THAT(subjects(found("good " + run_script())), ElementsAre("commit 2"));
}

TEST_F(CommitsRepositoryTest, TheLogCanBeReplayedByGit) {
  commits(8, {{6, {{"value", "big\n"}}}});
  found("good " + run_script());
  const std::string said = git("bisect replay ../out/suite/bisect/commits/bisect.log");
  EXPECT_THAT(said, HasSubstr(git("rev-parse main~2") + " is the first bad commit"));
}

TEST_F(CommitsRepositoryTest, GoodCommitOnBranch_SearchStartsAtMergeBase) {
  commits(3, {});
  git("checkout -q -b release");
  commit("release notes", {{"notes", "release\n"}});
  git("checkout -q main");
  commit("main goes on", {{"other", "1\n"}});
  commit("the culprit", {{"value", "big\n"}});
  const Json record = found("release main " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("the culprit"));
  EXPECT_THAT(record.at("notes").dump(), AllOf(HasSubstr("starts at their fork"), HasSubstr("commit 3")));
}

TEST_F(CommitsRepositoryTest, GoodBranchThatMovedNumbers_SuggestsSearch) {
  commits(3, {});
  git("checkout -q -b release");
  commit("release fix", {{"value", "big\n"}});
  git("checkout -q main");
  commit("main goes on", {{"other", "1\n"}});
  const cli::Outcome outcome = search("release main " + run_script());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("has other numbers"),
                                 HasSubstr("parity bisect commits " + git("rev-parse --short=10 main~1"))));
}

TEST_F(CommitsRepositoryTest, SidesInTheWrongOrderOrOfNoHistoryAreRefused) {
  commits(3, {{2, {{"value", "big\n"}}}});
  const cli::Outcome swapped = search("main good " + run_script());
  EXPECT_EQ(swapped.status, 2);
  EXPECT_THAT(swapped.err, AllOf(HasSubstr("is an ancestor of"), HasSubstr("to search the other way")));
  git("checkout -q --orphan alone");
  commit("alone", {{"x", "1\n"}});
  const cli::Outcome unrelated = search("good alone " + run_script());
  EXPECT_EQ(unrelated.status, 2);
  EXPECT_THAT(unrelated.err, HasSubstr("have no common history"));
  git("checkout -q main");
  git("merge -q --no-edit --allow-unrelated-histories alone");
  commit("later", {{"x", "2\n"}});
  const cli::Outcome merged = search("alone main " + run_script());
  EXPECT_EQ(merged.status, 2);
  EXPECT_THAT(merged.err, HasSubstr("a merge brought the good one in from another root"));
  const cli::Outcome unknown = search("no-such-tag main " + run_script());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown revision 'no-such-tag'"));
}

TEST_F(CommitsRepositoryTest, AFolderOutsideAnyRepositoryIsRefused) {
  const cli::Outcome outcome = parity("bisect commits a b --repository / --run true");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is not in a git repository"));
}

TEST_F(CommitsRepositoryTest, UnjudgeableCommits_AreRefusedWithReason) {
  commits(4, {{1, {{"broken", "x\n"}}}, {2, {{"broken", ""}}}, {4, {{"broken", "x\n"}}}});
  const std::string build = "--build 'test ! -e broken || { echo error: no such header; exit 1; }' ";
  const cli::Outcome bad = search("good main " + build + run_script());
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err,
              AllOf(HasSubstr("the bad side"), HasSubstr("error: no such header"), HasSubstr("build.log")));
  const cli::Outcome good = search("good~0 good " + build + run_script());
  EXPECT_EQ(good.status, 0);
  EXPECT_THAT(search("main~3 main~1 " + build + run_script()).err, HasSubstr("the good side"));
  EXPECT_EQ(search("good main~1 --run false").status, 2);
  EXPECT_THAT(search("good main~1 --run false").err, HasSubstr("already bad: exit status 1"));
}

TEST_F(CommitsRepositoryTest, WhatIsAskedHasToBeClear) {
  commits(2, {});
  EXPECT_THAT(search("good").err, HasSubstr("say what to run with --case CASE or --run"));
  EXPECT_THAT(search("good --run x --case topic/same").err, HasSubstr("give one of them"));
  EXPECT_THAT(search("good --case topic/same").err, HasSubstr("names {worktree}"));
  EXPECT_THAT(search("good --run x --tolerance -1").err, HasSubstr("invalid --tolerance -1"));
  EXPECT_THAT(search("good --run x --most 2").err, HasSubstr("invalid --most 2"));
}

}  // namespace
}  // namespace parity::bisect
