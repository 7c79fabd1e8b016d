// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <thread>

#include "tests/harness/bisect/commits/commits_fixture.hpp"

namespace parity::bisect {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Commits that are tested with a case, which is in the repository, or was added to it late.
class CommitsCaseTest : public CommitsTest {
 protected:
  static std::string arm(const std::string& name, const std::string& value = "value") {
    return "[arms." + name + "]\ncommand = [\"/bin/sh\", \"-c\", 'cp " + std::string("$0/$(cat {worktree}/") +
           value + ").h5 {run_dir}/trace.h5', \"STORE\"]\n";
  }
  std::string text(const std::string& arms) const {
    std::string whole = arms + losses_identical();
    for (size_t at = whole.find("STORE"); at != std::string::npos; at = whole.find("STORE"))
      whole.replace(at, 5, store());
    return whole;
  }
  Files case_file() const { return {{"cases/topic/mine.toml", text(arm("one") + arm("two", "second"))}}; }
  static std::string with_case() { return "--case topic/mine --cases repo/cases "; }
  cli::Outcome record_golden() const { return parity("golden record topic/mine --cases repo/cases"); }
};

TEST_F(CommitsCaseTest, TheCaseOfTodayIsAskedOfCommitsThatLackIt) {
  commits(9, {{1, {{"second", "a\n"}}}, {6, {{"value", "big\n"}}}, {9, case_file()}});
  const Json record = found("good~0 main " + with_case() + "--arm one");
  EXPECT_THAT(subjects(record), ElementsAre("commit 6"));
  EXPECT_EQ(record.at("subject"), "topic/mine between good~0 and main");
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("has no golden of topic/mine"));
}

TEST_F(CommitsCaseTest, OnlyTheArmsThatDifferAreRunBetweenTheEnds) {
  commits(9, {{1, {{"second", "a\n"}}}, {6, {{"second", "big\n"}}}, {9, case_file()}});
  const Json record = found("main~8 main " + with_case());
  EXPECT_THAT(subjects(record), ElementsAre("commit 6"));
  EXPECT_EQ(stage(record, "step").at("details").at("arm"), "two");
  EXPECT_LE(record.at("runs").at("executed"), 2 * 2 + 3);
}

TEST_F(CommitsCaseTest, AGoldenOfTheGoodSideThatAgreesIsSaidToAgree) {
  commits(2, {{1, case_file()}, {2, {{"second", "a\n"}}}});
  ASSERT_EQ(record_golden().status, 0);
  commit("golden");
  git("tag recorded");
  commit("culprit", {{"value", "big\n"}});
  const Json record = found("recorded main " + with_case());
  EXPECT_THAT(subjects(record), ElementsAre("culprit"));
  EXPECT_THAT(stage(record, "ends").at("answer").get<std::string>(), HasSubstr("golden agrees with its run"));
}

TEST_F(CommitsCaseTest, AGoodSideThatLeftItsGoldenIsBadAlready) {
  commits(2, {{1, case_file()}, {2, {{"second", "a\n"}}}});
  ASSERT_EQ(record_golden().status, 0);
  commit("golden");
  commit("first culprit", {{"value", "small\n"}});
  git("tag too-late");
  commit("second culprit", {{"value", "big\n"}});
  const cli::Outcome outcome = search("too-late main " + with_case());
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("one has loss first at step 4 from 7.25 to 7.251"), HasSubstr("--no-golden")));
  EXPECT_THAT(subjects(found("too-late main --no-golden " + with_case())), ElementsAre("second culprit"));
}

TEST_F(CommitsCaseTest, GoodCommitThatNoLongerBuilds_UsesItsGolden) {
  commits(2, {{1, case_file()}, {2, {{"second", "a\n"}, {"old", "needs an old compiler\n"}}}});
  ASSERT_EQ(record_golden().status, 0);
  commit("golden");
  git("tag recorded");
  commit("builds again", {{"old", ""}});
  commit("same numbers", {{"notes", "1\n"}});
  commit("culprit", {{"value", "big\n"}});
  const Json record = found("recorded main --build 'test ! -e old' " + with_case());
  EXPECT_THAT(subjects(record), ElementsAre("culprit"));
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("its golden are used"));
}

TEST_F(CommitsCaseTest, AGoldenOfAnotherEnvironmentIsNoReproach) {
  const auto write_in = [&](const char* cpu, double loss) {
    std::vector<double> losses = falling_losses();
    losses[5] = loss;
    write_trace("a", losses, 0.5, {{"fingerprint", {{"cpu", cpu}}}});
    losses[3] += 0.5;
    write_trace("big", losses, 0.5, {{"fingerprint", {{"cpu", cpu}}}});
  };
  write_in("there", 6.75);
  commits(2, {{1, case_file()}, {2, {{"second", "a\n"}}}});
  ASSERT_EQ(record_golden().status, 0);
  commit("golden");
  git("tag recorded");
  write_in("there", 6.750001);
  commit("culprit", {{"value", "big\n"}});
  const cli::Outcome left = search("recorded main " + with_case());
  EXPECT_EQ(left.status, 2);
  EXPECT_THAT(left.err, HasSubstr("already differs from its golden"));
  write_in("here", 6.750001);
  const Json record = found("recorded main --no-cache " + with_case());
  EXPECT_THAT(subjects(record), ElementsAre("culprit"));
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("golden is from another environment and differs"));
  const cli::Outcome unbuilt = search("recorded main --build 'grep -q big value' " + with_case());
  EXPECT_EQ(unbuilt.status, 2);
  EXPECT_THAT(unbuilt.err, HasSubstr("its golden is from another environment"));
}

TEST_F(CommitsCaseTest, AGoldenOfAnotherSchemaIsToldAndNotUsed) {
  commits(2, {{1, case_file()}, {2, {{"second", "a\n"}, {"golden/topic/mine.h5", "of an older schema\n"}}}});
  git("tag recorded");
  commit("culprit", {{"value", "big\n"}});
  const Json record = found("recorded main " + with_case());
  EXPECT_THAT(subjects(record), ElementsAre("culprit"));
  EXPECT_THAT(record.at("notes").dump(), AllOf(HasSubstr("golden of"), HasSubstr("cannot be read")));
}

TEST_F(CommitsCaseTest, CommandWithInputs_IsNotReusedAcrossCommits) {
  std::string with_inputs = arm("one");
  with_inputs += "inputs = [\"mine.toml\"]\n";
  commits(6, {{1, {{"cases/topic/mine.toml", text(with_inputs + arm("two"))}}}, {4, {{"value", "big\n"}}}});
  EXPECT_THAT(subjects(found("main~5 main --arm one " + with_case())), ElementsAre("commit 4"));
}

TEST_F(CommitsCaseTest, ASuiteRunsTheSameCaseOnTheRepositoryItself) {
  commits(1, {{1, case_file()}});
  commit("second",
         {{"second", "a\n"},
          {"cases/topic/mine.toml", "[golden]\narms = []\n" + text(arm("one") + arm("two", "second"))}});
  const cli::Outcome outcome = parity("run topic/mine --cases repo/cases");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(CommitsCaseTest, ArmsOfTheTrainerRunTheOneThatACommitBuilds) {
  const std::string schema =
      R"({"schema": "parity.config/1", "channels": ["loss"], "keys": {"steps": {"type": "integer", "default": 10}}})";
  commits(
      1,
      {{1,
        {{"cases/topic/mine.toml", "[arms.x]\nsteps = 10\n[arms.y]\nsteps = 10\n" + losses_identical()}}}});
  for (const char* value : {"a", "a", "small", "small", "small"})
    commit(std::string("trainer of ") + value,
           {{"schema.json", schema}, {"value", std::string(value) + "\n"}, {"notes", git("rev-parse HEAD")}});
  const std::string build =
      "--build 'mkdir -p bin && cp schema.json bin/parity-train.schema.json && { echo \"#!/bin/sh\"; echo "
      "\"cp " +
      store() + "/$(cat value).h5 \\$PARITY_TRACE\"; } > bin/parity-train; chmod +x bin/parity-train' ";
  const Json record = found("main~4 main --trainer bin/parity-train " + build + with_case());
  EXPECT_THAT(subjects(record), ElementsAre("trainer of small"));
  EXPECT_EQ(record.at("runs").at("executed"), 2)
      << "arms with one config are one run, and equal programs too";
  const cli::Outcome unbuilt = search("main~4 main " + with_case());
  EXPECT_EQ(unbuilt.status, 2);
  EXPECT_THAT(unbuilt.err, AllOf(HasSubstr("--trainer PATH"), HasSubstr("--build")));
  const cli::Outcome old = search("good main --trainer bin/parity-train " + build + with_case());
  EXPECT_EQ(old.status, 2);
  EXPECT_THAT(old.err, HasSubstr("the good side"));
}

TEST_F(CommitsCaseTest, RunsThatCrashOrHangOnTheWayArePassedOver) {
  const std::string arms =
      "timeout_seconds = 1\n[golden]\narms = []\n[arms.one]\ncommand = [\"/bin/sh\", \"-c\", \"cd "
      "{worktree} && sh train.sh\"]\n[arms.two]\ncommand = [\"true\"]\n";
  const std::string big = "cp " + store() + "/big.h5 $PARITY_TRACE\n";
  commits(8, {{3, {{"train.sh", "echo out of memory >&2; exit 7\n"}}},
              {4, {{"train.sh", "sleep 60\n"}}},
              {5, {{"train.sh", big}}},
              {8, {{"cases/topic/mine.toml", text(arms)}}}});
  const Json record = found("good~0 main --arm one " + with_case());
  EXPECT_EQ(stage(record, "step").at("details").at("between").size(), 2U);
  EXPECT_THAT(record.at("notes").dump(), AllOf(HasSubstr("exit status 7"), HasSubstr("no sign of life")));
}

TEST_F(CommitsCaseTest, CtrlCWhileACaseRunsRestoresEverything) {
  const std::string waits = (folder_ / "waits").string();
  const std::string arms =
      "[golden]\narms = []\n[arms.one]\ncommand = [\"/bin/sh\", \"-c\", \"cd {worktree} && sh "
      "train.sh\"]\n[arms.two]\ncommand = [\"true\"]\n";
  commits(
      3,
      {{1, {{"train.sh", "touch " + waits + "; sleep 60\n"}}},
       {3,
        {{"train.sh", "cp " + store() + "/big.h5 $PARITY_TRACE\n"}, {"cases/topic/mine.toml", text(arms)}}}});
  const std::string before = state();
  Process process = Process::spawn(spec("parity " + line_of("good main --arm one " + with_case())));
  for (int i = 0; i < 400 && !fs::exists(waits); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  ASSERT_TRUE(fs::exists(waits)) << read_file(folder_ / "stderr");
  ::kill(process.pid(), SIGINT);
  const auto status = process.wait_for(std::chrono::seconds(20));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->exit_status(), 130);
  EXPECT_EQ(state(), before);
  EXPECT_FALSE(has_worktree());
}

TEST_F(CommitsCaseTest, AnUnknownArmIsNamedWithThoseThatThereAre) {
  commits(2, {{1, case_file()}});
  const cli::Outcome outcome = search("good main --arm onne " + with_case());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("has no arm 'onne'"), HasSubstr("did you mean 'one'")));
}

}  // namespace
}  // namespace parity::bisect
