// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/harness/bisect/commits/commits_fixture.hpp"

namespace parity::bisect {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Runs that are NaN, that do not repeat, that crash in several ways, that record otherwise, or that read
/// what may change.
class DoubtfulRunsTest : public CommitsTest {
 protected:
  void write_losses(const std::string& name, const std::map<size_t, double>& changed) const {
    std::vector<double> losses = falling_losses();
    for (const auto& [i, loss] : changed)
      losses[i] = loss;
    write_trace(name, losses);
  }
  void write_channels(const std::string& name, const std::vector<std::string>& channels) const {
    trace::Recorder recorder(
        {folder_ / "cases/topic" / (name + ".h5"), Json::object(), Json::object(), {}, 0});
    for (int64_t step = 1; step <= 3; ++step) {
      recorder.begin_step(step);
      for (const std::string& channel : channels)
        recorder.channel(channel, 0.5);
      recorder.end_step();
    }
    recorder.finish();
  }
  /// Returns a trainer that leaves another of 5 traces at each run.
  Files flaky_trainer() const {
    for (size_t i = 0; i < 5; ++i)
      write_losses("noise" + std::to_string(i), {{4, 7 + 1e-3 * static_cast<double>(i * i + 1)}});
    const std::string count = (folder_ / "count").string();
    return {{"train.sh", "n=$(cat " + count + " 2>/dev/null || echo 0); echo $((n + 1)) > " + count +
                             "; cp " + store() + "/noise$((n % 5)).h5 $PARITY_TRACE\n"}};
  }
  static Files crash(const std::string& error) {
    return {{"train.sh", "echo '" + error + "' >&2; kill -SEGV $$\n"}};
  }
  Files copies(const std::string& trace) const {
    return {{"train.sh", "cp " + store() + "/" + trace + ".h5 $PARITY_TRACE\n"}};
  }
};

TEST_F(DoubtfulRunsTest, NaNThatStays_IsOneStepOnly) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_losses("nan", {{3, nan}});
  write_losses("nan_and_more", {{3, nan}, {6, 7.0}});
  commits(9, {{2, {{"value", "nan\n"}}}, {7, {{"value", "nan_and_more\n"}}}});
  const Json record = found("good " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("commit 2", "commit 7"));
  EXPECT_THAT(stage(record, "step").at("answer").get<std::string>(), HasSubstr("from 7.25 to nan"));
  const cli::Outcome same = search("main~6 main~4 " + run_script());
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("loss is NaN at step 4 (arm run) on both sides"));
}

TEST_F(DoubtfulRunsTest, InfinityThatStays_HidesNoOtherChange) {
  const double inf = std::numeric_limits<double>::infinity();
  write_losses("inf", {{3, inf}});
  write_losses("inf_and_more", {{3, inf}, {6, 7.0}});
  commits(4, {{1, {{"value", "inf\n"}}}, {3, {{"value", "inf_and_more\n"}}}});
  EXPECT_THAT(subjects(found("main~3 main --tolerance 1e-3 " + run_script())), ElementsAre("commit 3"));
}

TEST_F(DoubtfulRunsTest, RunsThatStopRepeating_NameThatCommitOnly) {
  commits(6, {{3, flaky_trainer()}});
  const Json record = found("good " + run_script());
  EXPECT_THAT(subjects(record).front(), "commit 3");
  EXPECT_THAT(record.at("sentence").get<std::string>(),
              AllOf(HasSubstr("commit 3"), HasSubstr("two runs of it differ by relative"),
                    HasSubstr("those of the commit before do not")));
  for (const Json& each : record.at("stages"))
    if (each.at("name") == "step" && each.at("details").at("subject") != "commit 3") {
      EXPECT_THAT(each.at("answer").get<std::string>(), HasSubstr("not proven, since two runs of"));
    }
  EXPECT_THAT(stage(record, "repeats").at("answer").get<std::string>(),
              AllOf(HasSubstr("two runs of one commit differ"), HasSubstr("--tolerance above")));
  EXPECT_EQ(search("good --tolerance 0.01 " + run_script()).status, 0);
}

TEST_F(DoubtfulRunsTest, SeveralSteps_GitBisectEndsAtTheFirstNamed) {
  write_losses("huge", {{3, 9.0}});
  commits(12, {{2, copies("huge")}, {6, copies("small")}, {8, copies("big")}, {10, copies("small")}});
  const Json record = found("good " + run_script());
  EXPECT_THAT(stage(record, "git").at("answer").get<std::string>(),
              HasSubstr(stage(record, "step").at("details").at("commit").get<std::string>() +
                        " is the first bad commit"));
}

TEST_F(DoubtfulRunsTest, FlakyRunsBelowTolerance_NameTheTrueChange) {
  commits(6, {{1, flaky_trainer()}, {4, copies("big")}});
  const Json record = found("main~5 main --tolerance 0.01 " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("commit 4"));
  EXPECT_THAT(stage(record, "repeats").at("answer").get<std::string>(), HasSubstr("gave the same answer"));
}

TEST_F(DoubtfulRunsTest, OnlyNoiseBetweenTheSides_NamesNoCommit) {
  // Each commit's second run is far from its first.
  write_losses("near", {{4, 7.001}});
  write_losses("nearer", {{4, 7.002}});
  write_losses("far", {{4, 7.5}});
  const std::string once = "f=" + folder_.string() + "/ran-$PARITY_COMMIT; test -e $f && v=far || v=";
  const auto trainer = [&](const std::string& first) {
    return Files{{"train.sh", once + first + "; touch $f; cp " + store() + "/$v.h5 $PARITY_TRACE\n"}};
  };
  commits(3, {{2, trainer("near")}, {3, trainer("nearer")}});
  const cli::Outcome outcome = search("main~1 main " + run_script());
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cannot name a commit"), HasSubstr("--tolerance above")));
}

TEST_F(DoubtfulRunsTest, FirstValues_HaveTheirOwnRelativeGap) {
  write_losses("grows", {{3, 7.2501}, {6, 7.5}});
  commits(2, {{1, {{"value", "grows\n"}}}});
  EXPECT_THAT(found("good " + run_script()).at("sentence").get<std::string>(),
              HasSubstr("from 7.25 to 7.2501 (relative 1.4e-05; over all steps 0.12)"));
}

TEST_F(DoubtfulRunsTest, RenamedLoss_IsTheChange) {
  write_channels("old", {"loss", "lr"});
  write_channels("new", {"train_loss", "lr"});
  commits(6, {{1, {{"value", "old\n"}}}, {4, {{"value", "new\n"}}}});
  const Json record = found("main~5 main " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("commit 4"));
  EXPECT_THAT(record.at("sentence").get<std::string>(),
              HasSubstr("records train_loss and no longer loss, so its numbers cannot be compared"));
  EXPECT_THAT(record.at("notes").dump(), Not(HasSubstr("only some commits record")));
}

TEST_F(DoubtfulRunsTest, SidesWithSettingsOnly_AreNoEvidence) {
  write_channels("settings", {"lr"});
  commits(3, {{1, {{"value", "settings\n"}}}});
  const cli::Outcome outcome = search("main~2 main " + run_script());
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("have only settings such as lr"));
  EXPECT_EQ(search("main~2 main --channel lr " + run_script()).status, 0);
}

TEST_F(DoubtfulRunsTest, OtherCrashOnTheWay_IsNotBlamed) {
  commits(9, {{4, crash("ModuleNotFoundError: no x")},
              {5, copies("a")},
              {7, crash("SyntaxError: 12 of 0xff12 bytes")},
              {8, crash("SyntaxError: 13 of 0xab12 bytes")}});
  const Json record = found("good main " + run_script());
  EXPECT_THAT(subjects(record), ElementsAre("commit 7"));
  EXPECT_THAT(stage(record, "git").at("answer").get<std::string>(),
              HasSubstr(git("rev-parse main~2") + " is the first bad commit"));
}

TEST_F(DoubtfulRunsTest, OtherCrashBeforeTheCulprit_WidensTheAnswer) {
  commits(4, {{2, crash("ModuleNotFoundError: no x")}, {3, crash("SyntaxError: no y")}});
  const Json record = found("good main " + run_script());
  EXPECT_THAT(record.at("sentence").get<std::string>(), HasSubstr("one of 2 commits crashes"));
  EXPECT_THAT(record.at("notes").dump(), HasSubstr("it ends otherwise than both sides, exit status 139"));
}

TEST_F(DoubtfulRunsTest, FailureInPlaceOfATrace_IsComparedByItsError) {
  commits(9, {{4, {{"train.sh", "echo 'Error: one'; exit 1\n"}}},
              {5, copies("a")},
              {7, {{"train.sh", "echo 'Error: other'; exit 1\n"}}}});
  EXPECT_THAT(subjects(found("good main " + run_script())), ElementsAre("commit 7"));
}

TEST_F(DoubtfulRunsTest, WhatRunsReadHasChanged_AnswersAreAsked) {
  write_file(folder_ / "read", "a\n");
  commits(
      3, {{2, {{"train.sh", "cp " + store() + "/$(cat " + folder_.string() + "/read).h5 $PARITY_TRACE\n"}}}});
  EXPECT_EQ(search("good " + run_script()).status, 0);
  write_file(folder_ / "read", "big\n");
  EXPECT_THAT(subjects(found("good " + run_script())), ElementsAre("commit 2"));
}

TEST_F(DoubtfulRunsTest, KilledSearch_IsNoEvidenceThatSidesAgree) {
  write_file(folder_ / "read", "a\n");
  commits(
      3, {{2, {{"train.sh", "cp " + store() + "/$(cat " + folder_.string() + "/read).h5 $PARITY_TRACE\n"}}}});
  EXPECT_EQ(search("good " + run_script()).status, 0);
  for (const auto& each : std::filesystem::directory_iterator(folder_ / "out/suite/bisect/commits/answers"))
    std::filesystem::remove(each.path() / "ended");  // as a kill leaves it
  write_file(folder_ / "read", "big\n");
  EXPECT_THAT(subjects(found("good " + run_script())), ElementsAre("commit 2"));
}

}  // namespace
}  // namespace parity::bisect
