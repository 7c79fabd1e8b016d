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

results::Check failed(const char* relation, const char* verdict = "different") {
  results::Check check = vacuous(relation, {"plain", "tensor"}, {{"gap32", 1e-3}, {"gap64", 1e-4}});
  check.verdict = verdict;
  return check;
}

TEST(Trials, ArmsThatDifferInNumbersAlone_MayBeAmplifiedRounding) {
  for (const char* verdict : {"different", "imprecise", "missing"}) {
    Trial trial = trial_of_two_arms();
    take_results(trial, judged({failed("equivalent", verdict)}));
    EXPECT_EQ(trial.unequal, std::vector<std::string>{"tensor"}) << verdict;
    EXPECT_FALSE(trial.held() || trial.amplifies) << verdict;
  }
}

TEST(Trials, AnotherFailure_IsNoAmplifiedRounding) {
  for (const char* relation : {"identical", "lawful", "repeats"}) {
    Trial trial = trial_of_two_arms();
    take_results(trial, judged({failed("equivalent"), failed(relation)}));
    EXPECT_TRUE(trial.unequal.empty()) << relation;
    EXPECT_EQ(trial.failed.size(), 1U) << relation;
  }
  Trial crashed = trial_of_two_arms();
  results::Case item = judged({failed("equivalent")});
  item.arms = {failed_arm("context", results::FailureKind::crashed)};
  take_results(crashed, item);
  EXPECT_TRUE(crashed.unequal.empty());
}

}  // namespace
}  // namespace parity::coverage
