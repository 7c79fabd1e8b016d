// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/trials.hpp"

#include <gtest/gtest.h>

namespace parity::coverage {
namespace {

Trial trial_of_two_arms() {
  Trial trial;
  trial.proposed.arms.resize(2);
  trial.proposed.arms[0].name = "tensor";
  trial.proposed.arms[1].name = "context";
  return trial;
}

results::Check vacuous(const char* relation, std::vector<std::string> arms, Json measured) {
  results::Check check;
  check.relation = relation;
  check.arms = std::move(arms);
  check.measured = std::move(measured);
  check.verdict = "vacuous";
  check.sentence = "nothing was tested";
  return check;
}

results::Case judged(std::vector<results::Check> checks) {
  results::Case item;
  item.checks = std::move(checks);
  return item;
}

TEST(Trials, AnArmWithThePlainBits_HoldsAndIsNoted) {
  Trial trial = trial_of_two_arms();
  take_results(trial,
               judged({vacuous("equivalent", {"plain", "context"}, {{"gap32", 0.0}, {"gap64", 0.0}})}));
  EXPECT_TRUE(trial.held());
  EXPECT_FALSE(trial.proposed.arms[0].same_bits);
  EXPECT_TRUE(trial.proposed.arms[1].same_bits);
}

results::Arm failed_arm(const char* name, results::FailureKind kind) {
  results::Arm arm;
  arm.name = name;
  arm.status = results::ArmStatus::failed;
  arm.failure = results::ArmFailure{.kind = kind, .message = "it ended"};
  return arm;
}

TEST(Trials, ConfigRefusedForEveryArm_IsNotJudged) {
  Trial trial = trial_of_two_arms();
  results::Case item;
  item.arms = {failed_arm("plain", results::FailureKind::bad_config),
               failed_arm("tensor", results::FailureKind::bad_config)};
  take_results(trial, item);
  EXPECT_FALSE(trial.judged);
  item.arms[1] = failed_arm("tensor", results::FailureKind::crashed);
  take_results(trial, item);
  EXPECT_TRUE(trial.judged) << "only some arms were refused";
  EXPECT_FALSE(trial.held());
}

TEST(Trials, ALossThatDoesNotFall_FailsThePlainArm) {
  Trial trial = trial_of_two_arms();
  take_results(trial, judged({vacuous("trained", {"plain"}, {{"fall", 0.7}})}));
  EXPECT_TRUE(trial.plain_failed);
  EXPECT_FALSE(trial.held());
  EXPECT_TRUE(trial.untrained) << "more steps may train it";
}

TEST(Trials, AnArmThatDoesNotTrain_Fails) {
  Trial trial = trial_of_two_arms();
  take_results(trial, judged({vacuous("trained", {"context"}, {{"fall", 0.7}})}));
  ASSERT_EQ(trial.failed.size(), 1U);
  EXPECT_EQ(trial.failed[0].name, "context");
  EXPECT_FALSE(trial.proposed.arms[1].same_bits);
}

TEST(Trials, TwinsOfNoOneRun_AreNoSameBits) {
  Trial trial = trial_of_two_arms();
  take_results(trial,
               judged({vacuous("equivalent", {"plain", "tensor"}, {{"gap32", 1e-3}, {"gap64", 1e-4}})}));
  EXPECT_FALSE(trial.held());
  EXPECT_FALSE(trial.untrained);
  EXPECT_FALSE(trial.proposed.arms[0].same_bits);
}

results::Check gap(double collapse, double roundings) {
  results::Check check = vacuous(
      "equivalent", {"plain", "tensor"},
      {{"collapse_log2", collapse}, {"roundings_a", roundings}, {"roundings_b", 1.0}, {"relative64", 1e-8}});
  check.verdict = "different";
  check.limit = {{"collapse_log2", 20.0}, {"roundings_a", 8192.0}};
  return check;
}

TEST(Trials, OnlyWhatCollapses_MayBeProved) {
  Trial collapses = trial_of_two_arms(), stays = trial_of_two_arms();
  take_results(collapses, judged({gap(28.5, 100)}));
  EXPECT_TRUE(collapses.collapses);
  EXPECT_FALSE(collapses.amplifies);
  take_results(stays, judged({gap(28.5, 100), gap(13.5, 100)}));
  EXPECT_FALSE(stays.collapses) << "a defect of a later update stays in float64";
}

TEST(Trials, AmplifiedRounding_ShowsNothing) {
  Trial trial = trial_of_two_arms();
  take_results(trial, judged({gap(28.5, 20000)}));
  EXPECT_TRUE(trial.amplifies);
  EXPECT_FALSE(trial.held());
}

TEST(Trials, GapOfAsManyRoundingsInBothTypes_ShowsNothing) {
  results::Check check = gap(28.5, 5000);
  check.measured["relative64"] = 5000 * 0x1p-53;
  Trial trial = trial_of_two_arms();
  take_results(trial, judged({check}));
  EXPECT_TRUE(trial.amplifies);
  check.measured["relative64"] = 50000 * 0x1p-53;
  Trial other = trial_of_two_arms();
  take_results(other, judged({check}));
  EXPECT_FALSE(other.amplifies);
}

TEST(Trials, NarrowerTypeInOneArm_IsADifference) {
  results::Check check = gap(40, 10);
  check.verdict = "imprecise";
  check.measured["roundings_b"] = 65536.0;
  check.measured["relative64"] = 0.0;
  Trial trial = trial_of_two_arms();
  take_results(trial, judged({check}));
  EXPECT_FALSE(trial.amplifies);
}

TEST(Trials, DifferenceThatFloat64Keeps_IsOne) {
  for (const results::Check& check : {gap(3, 20000), gap(28.5, 10)}) {
    Trial trial = trial_of_two_arms();
    take_results(trial, judged({gap(28.5, 20000), check}));
    EXPECT_FALSE(trial.amplifies);
  }
}

}  // namespace
}  // namespace parity::coverage
