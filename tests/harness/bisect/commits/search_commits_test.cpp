// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/bisect/commits/commits_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::bisect {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SearchCommitsTest : public CommitsTest {};

TEST_F(SearchCommitsTest, OneCulprit_IsNamedWithStepAndValuesInBound) {
  commits(22, {{15, {{"value", "big\n"}}}});
  const Json record = found("good " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("commit 15"));
  EXPECT_THAT(record.at("sentence").get<std::string>(),
              AllOf(HasSubstr("(\"commit 15\") moves loss first at step 4 from 7.25 to 7.75"),
                    HasSubstr("0 builds and"), HasSubstr("among 22 commits")));
  EXPECT_LE(record.at("runs").at("executed"), 2 + 5);
  EXPECT_EQ(stage(record, "commits").at("details").at("bound"), 7);
}

TEST_F(SearchCommitsTest, LeavesAPageThatRanksTheCommits) {
  commits(12, {{4, {{"value", "small\n"}}}, {9, {{"value", "big\n"}}}});
  const cli::Outcome outcome = search("good main " + run_script());
  EXPECT_THAT(outcome.err, HasSubstr("out/suite/bisect/commits.html"));
  const std::string page = read_file(folder_ / "out/suite/bisect/commits.html");
  const size_t biggest = page.find("<td>commit 9</td>"), other = page.find("<td>commit 4</td>");
  ASSERT_NE(other, std::string::npos);
  EXPECT_LT(biggest, other);
}

TEST_F(SearchCommitsTest, EveryCulpritIsFoundTheBiggestFirst) {
  commits(12, {{4, {{"value", "small\n"}}}, {9, {{"value", "big\n"}}}});
  const Json record = found("good main " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("commit 9", "commit 4"));
  EXPECT_THAT(record.at("sentence").get<std::string>(), HasSubstr("the largest of 2 steps"));
  EXPECT_THAT(subjects(found("good " + run_script() + "--tolerance 0.01")), ElementsAre("commit 9"));
}

TEST_F(SearchCommitsTest, CommitsThatDoNotBuildWidenTheAnswer) {
  commits(10, {{5, {{"broken", "x\n"}}}, {6, {{"value", "big\n"}}}, {7, {{"broken", ""}}}});
  const Json record =
      found("good " + run_script() +
            "--build 'test ! -e broken || { echo a.c:1: error: no compiler; echo stopped; exit 3; }'");
  const Json step = stage(record, "step");
  EXPECT_EQ(step.at("details").at("between").size(), 2U);
  EXPECT_THAT(step.at("answer").get<std::string>(),
              AllOf(HasSubstr("one of 3 commits moves loss"), HasSubstr("commit 5"), HasSubstr("commit 6"),
                    HasSubstr("commit 7"), HasSubstr("cannot be judged")));
  EXPECT_THAT(record.at("notes").dump(),
              HasSubstr("does not build, exit status 3: a.c:1: error: no compiler"));
  EXPECT_THAT(stage(record, "git").at("answer").get<std::string>(), HasSubstr("only 'skip'ped commits left"));
}

TEST_F(SearchCommitsTest, CommitsThatBuildTheSameProgramCostNoRun) {
  std::map<size_t, Files> files;
  for (size_t i = 1; i <= 15; ++i)
    files[i] = {{"value", (i < 11 ? "a" : "big") + std::string("\n# comment ") + std::to_string(i) + "\n"}};
  commits(15, files);
  const Json record = found(
      "good --build 'mkdir -p bin && grep -v ^# value > bin/program' --trainer bin/program "
      "--run 'cp " +
      store() + "/$(cat bin/program).h5 $PARITY_TRACE'");
  EXPECT_THAT(subjects(record), ElementsAre("commit 11"));
  EXPECT_EQ(record.at("runs").at("executed"), 2);
  EXPECT_GE(stage(record, "commits").at("details").at("builds"), 4);
}

TEST_F(SearchCommitsTest, EmptyCommitsAreNoneAndARevertIsKnown) {
  commits(1, {{1, {{"value", "big\n"}}}});
  for (int i = 0; i < 6; ++i)
    commit("empty");
  const Json record = found("good " + run_script());
  EXPECT_THAT(stage(record, "range").at("answer").get<std::string>(), HasSubstr("1 commit from"));
  EXPECT_EQ(record.at("runs").at("executed"), 2);
  commit("revert", {{"value", "a\n"}, {"notes", ""}});
  const cli::Outcome same = search("good " + run_script());
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("both commits contain the same files"));
}

TEST_F(SearchCommitsTest, WhatOneCommitLeavesBehindIsGoneForTheNext) {
  commits(8, {{5, {{"value", "big\n"}}}});
  const Json record =
      found("good --run 'test ! -e left || exit 1; echo x > left; echo x > notes; sh train.sh'");
  EXPECT_THAT(subjects(record), ElementsAre("commit 5"));
  EXPECT_EQ(stage(record, "commits").at("details").at("skipped"), 0);
}

TEST_F(SearchCommitsTest, PathFilter_RunsOnlyCommitsThatChangeThePath) {
  commits(20, {{7, {{"value", "big\n"}}}});
  const Json record = found("good " + run_script() + "--path value --path train.sh");
  EXPECT_THAT(subjects(record), ElementsAre("commit 7"));
  EXPECT_EQ(record.at("runs").at("executed"), 2);
  const cli::Outcome none = search("good " + run_script() + "--path no/such");
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.out, HasSubstr("no commit between them changes no/such"));
}

TEST_F(SearchCommitsTest, SidesThatDoNotDifferAreNoFailure) {
  commits(5, {});
  const cli::Outcome outcome = search("good " + run_script());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("the two sides do not differ"), HasSubstr("2 runs")));
  EXPECT_EQ(search("main main " + run_script()).status, 0);
}

TEST_F(SearchCommitsTest, ACulpritInAMergedBranchIsNamedThere) {
  commits(3, {});
  git("checkout -q -b side good");
  commit("side 1", {{"a", "1\n"}});
  commit("side 2", {{"value", "big\n"}});
  commit("side 3", {{"a", "2\n"}});
  git("checkout -q main");
  git("merge -q --no-ff -m 'merge of side' side");
  commit("after", {{"notes", "after\n"}});
  const Json record = found("good " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("side 2"));
  EXPECT_THAT(record.at("sentence").get<std::string>(),
              AllOf(HasSubstr("side 2"), HasSubstr("it came with merge"), HasSubstr("merge of side")));
  EXPECT_THAT(stage(record, "git").at("answer").get<std::string>(),
              HasSubstr(git("rev-parse main~1") + " is the first bad commit"));
}

TEST_F(SearchCommitsTest, ABranchThatLeftBeforeTheCulpritIsNoSecondOne) {
  commits(2, {{1, {{"value", "big\n"}}}});
  git("checkout -q -b side good");
  for (int i = 0; i < 5; ++i)
    commit("side", {{"a", std::to_string(i) + "\n"}});
  git("checkout -q main");
  git("merge -q --no-ff -m 'merge of side' side");
  EXPECT_THAT(subjects(found("good " + run_script())), ElementsAre("commit 1"));
}

TEST_F(SearchCommitsTest, AMergeThatAloneDoesItIsNamedItself) {
  commits(
      3,
      {{1, {{"train.sh", "v=a; [ -e x ] && [ -e y ] && v=big; cp " + store() + "/$v.h5 $PARITY_TRACE\n"}}}});
  git("checkout -q -b side");
  commit("side has x", {{"x", "1\n"}});
  git("checkout -q main");
  commit("main has y", {{"y", "1\n"}});
  git("merge -q --no-ff -m 'x meets y' side");
  const Json record = found("good " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("x meets y"));
  EXPECT_THAT(record.at("sentence").get<std::string>(), HasSubstr("no parent alone does that"));
}

TEST_F(SearchCommitsTest, ACommandWithoutATraceIsJudgedByItsExitStatus) {
  commits(16, {{5, {{"untestable", "x\n"}}}, {6, {{"untestable", ""}}}, {11, {{"value", "bad\n"}}}});
  const Json record = found(
      "good --run 'test ! -e untestable || exit 125; grep -q a$ value || { echo loss is high; exit 9; }'");
  EXPECT_THAT(subjects(record), ElementsAre("commit 11"));
  EXPECT_THAT(record.at("sentence").get<std::string>(),
              HasSubstr("fails, but the one before runs (exit status 9: loss is high)"));
}

TEST_F(SearchCommitsTest, Crash_IsSearchedOnlyAtTheBadCommit) {
  commits(12, {{3, {{"train.sh", "kill -SEGV $$\n"}}},
               {4, {{"train.sh", "cp " + store() + "/a.h5 $PARITY_TRACE\n"}}},
               {8, {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}}},
               {10, {{"train.sh", "kill -SEGV $$\n"}}},
               {11, {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}}}});
  EXPECT_THAT(subjects(found("good main~2 " + run_script())), ElementsAre("commit 10", "commit 8"));
  EXPECT_THAT(found("good main~2 " + run_script()).at("sentence").get<std::string>(),
              HasSubstr("crashes, but the one before runs (exit status 139"));
  EXPECT_THAT(subjects(found("good main " + run_script())), ElementsAre("commit 8"));
}

TEST_F(SearchCommitsTest, ARunThatHangsIsEndedAndPassedOver) {
  commits(4, {{2, {{"train.sh", "sleep 600\n"}}},
              {3, {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}}}});
  const Json record = found("good " + run_script() + "--run-timeout 0.3");
  EXPECT_THAT(record.at("sentence").get<std::string>(),
              AllOf(HasSubstr("one of 2 commits"), HasSubstr("commit 3")));
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("not finished within 0."));
}

TEST_F(SearchCommitsTest, UnreadableOrTruncatedTrace_CountsAsCrash) {
  commits(5, {{2, {{"train.sh", "echo junk > $PARITY_TRACE\n"}}},
              {3, {{"train.sh", "head -c 3000 " + store() + "/a.h5 > $PARITY_TRACE\n"}}},
              {4, {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}}}});
  const Json record = found("good " + run_script());
  EXPECT_EQ(stage(record, "step").at("details").at("between").size(), 2U);
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("its trace cannot be read"));
}

TEST_F(SearchCommitsTest, ATraceThatSaysThatItsRunFailedIsACrash) {
  const CommandResult written = run_python(folder_, R"(
import h5py, sys
with h5py.File(sys.argv[1], "w") as trace:
    trace.attrs["schema"], trace.attrs["status"] = "parity.trace/1.0", "complete"
    trace.attrs["failure"] = '{"kind": "non_finite", "step": 10, "message": "loss is NaN"}'
    trace["steps"], trace["channels/loss"] = list(range(1, 11)), [8.0] * 10
)",
                                           store() + "/failed.h5");
  ASSERT_EQ(written.status, 0) << written.output;
  commits(4, {{2, {{"train.sh", "cp " + store() + "/failed.h5 $PARITY_TRACE\n"}}},
              {3, {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}}}});
  const Json record = found("good " + run_script());
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("its trace reports a failure"));
}

TEST_F(SearchCommitsTest, AChannelThatOnlyNewCommitsRecordIsNoStep) {
  trace::Recorder recorder({folder_ / "cases/topic/more.h5", Json::object(), Json::object(), {}, 0});
  for (size_t i = 0; i < 10; ++i) {
    recorder.begin_step(static_cast<int64_t>(i) + 1);
    recorder.channel("loss", falling_losses()[i]);
    recorder.channel("tokens", int64_t{1024});
    recorder.end_step();
  }
  recorder.finish();
  commits(6, {{3, {{"value", "more\n"}}}});
  const cli::Outcome outcome = search("good " + run_script());
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("only some commits record"), HasSubstr("tokens")));
}

TEST_F(SearchCommitsTest, OnlyTheChannelsThatWereAskedForCount) {
  write_trace("other_rate", falling_losses(), 0.25);
  commits(6, {{2, {{"value", "other_rate\n"}}}, {5, {{"value", "big\n"}}}});
  EXPECT_THAT(subjects(found("good main~2 " + run_script())), ElementsAre("commit 2"));
  EXPECT_EQ(search("good main~2 --channel loss " + run_script()).status, 0);
  EXPECT_THAT(subjects(found("good --channel loss " + run_script())), ElementsAre("commit 5"));
}

TEST_F(SearchCommitsTest, MissingTrace_IsRefusedAtEndsNotedBetween) {
  commits(4,
          {{2, {{"train.sh", "true\n"}}}, {3, {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}}}});
  const cli::Outcome refused = search("good main~2 " + run_script());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("only one of them wrote a trace"));
  EXPECT_THAT(found("good main " + run_script()).at("notes").dump(), HasSubstr("left no trace"));
}

TEST_F(SearchCommitsTest, EndsOfAStep_RunOnceMoreAndNoOthers) {
  commits(6, {{4, {{"value", "big\n"}}}});
  const Json record = found("good " + run_script());
  EXPECT_EQ(stage(record, "repeats").at("details").at("runs"), 2);
  EXPECT_EQ(stage(record, "repeats").at("details").at("own_gaps").size(), 2U);
}

TEST_F(SearchCommitsTest, ALimitOfCommitsLeavesARange) {
  commits(30, {{20, {{"value", "big\n"}}}});
  const Json record = found("good --most 4 " + run_script());
  EXPECT_LE(record.at("runs").at("executed"), 4);
  EXPECT_THAT(record.at("sentence").get<std::string>(), HasSubstr("--most ended the search here"));
}

}  // namespace
}  // namespace parity::bisect
