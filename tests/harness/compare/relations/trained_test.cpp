// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// A loss that falls in a line by `slope` a step over noise.
class TrainedTest : public PlantedTest {
 protected:
  static std::vector<double> line(double slope, double size) {
    std::vector<double> values;
    for (size_t s = 0; s < 40; ++s)
      values.push_back(8 - slope * static_cast<double>(s) + noise(s, size));
    return values;
  }
  CheckResult judge_loss(std::vector<double> loss, double update_norm = 1) {
    const std::vector<double> norms(loss.size(), update_norm);
    add_arm("a", {.channels = {{"loss", std::move(loss)}, {"update_norm", norms}}});
    return judge(check_of(Relation::trained, {"loss"}), arms);
  }
};

TEST_F(TrainedTest, PassesALossThatFell) {
  const CheckResult result = judge_loss(line(0.05, 0.01));
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("loss of a fell from 8"));
}

TEST_F(TrainedTest, FailsOnNoiseWithoutATrend) {
  const CheckResult result = judge_loss(line(0, 0.01));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
  EXPECT_THAT(result.sentence, HasSubstr("loss of a did not fall beyond its noise"));
}

TEST_F(TrainedTest, TwiceTheNeededDescentPassesAndHalfFails) {
  // Second differences of 0, 1, 0, 1, ... are 2: the noise is 2 * sqrt(2) / 1.652 = 1.712.
  const auto saw = [](double descent) {
    std::vector<double> values;
    for (size_t s = 0; s < 20; ++s)
      values.push_back((s % 2 == 0 ? 1 : 0) + (s < 10 ? descent : 0));
    return values;
  };
  const double needed = 3 * 2 * std::sqrt(2.0) / 1.652;
  EXPECT_TRUE(judge_loss(saw(2 * needed - 1)).passed);
  EXPECT_FALSE(judge_loss(saw(needed / 2 - 1)).passed);
}

TEST_F(TrainedTest, FailsOnAFlatOrRisingLoss) {
  EXPECT_FALSE(judge_loss(std::vector<double>(10, 7.5)).passed);
  EXPECT_FALSE(judge_loss(line(-0.05, 0)).passed);
}

TEST_F(TrainedTest, FailsOnANanEvenIfTheLossFell) {
  auto loss = line(0.05, 0.01);
  loss.back() = std::numeric_limits<double>::quiet_NaN();
  const CheckResult result = judge_loss(loss);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("nan at step 40"));
}

TEST_F(TrainedTest, FailsIfNoParameterMoved) {
  const CheckResult result = judge_loss(line(0.05, 0.01), 0);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("no parameter of a moved"));
}

TEST_F(TrainedTest, ARewardHasToRise) {
  const auto judge_reward = [&](double slope) {
    std::vector<double> reward = line(-slope, 0.01);
    arms.clear();
    add_arm("a", {.channels = {{"reward_mean", std::move(reward)}}});
    return judge(check_of(Relation::trained, {"reward_mean"}), arms);
  };
  EXPECT_TRUE(judge_reward(0.05).passed);
  EXPECT_THAT(judge_reward(0.05).sentence, HasSubstr("reward_mean of a rose from 8"));
  EXPECT_FALSE(judge_reward(-0.05).passed);
  EXPECT_THAT(judge_reward(-0.05).sentence, HasSubstr("did not rise beyond its noise"));
}

TEST_F(TrainedTest, PolicyLoss_MayRiseIfEachUpdateMovesWeights) {
  const auto judge_policy = [&](std::vector<double> loss, std::vector<double> update_norm) {
    const std::vector<double> reward(loss.size(), 0.5);
    arms.clear();
    add_arm("a", {.channels = {{"loss", std::move(loss)},
                               {"update_norm", std::move(update_norm)},
                               {"reward_mean", reward}}});
    return judge(check_of(Relation::trained, {"loss"}), arms);
  };
  EXPECT_TRUE(judge_policy({0, 0.1}, {1, 1}).passed);
  EXPECT_FALSE(judge_policy({0, 0.1}, {1, 0}).passed);
  EXPECT_THAT(judge_policy({0, 0.1}, {1, 0}).sentence, HasSubstr("no parameter of a moved at step 2"));
  EXPECT_FALSE(judge_policy({0, std::numeric_limits<double>::infinity()}, {1, 1}).passed);
}

TEST_F(TrainedTest, Policy_WithoutGradient_DidNotTrain) {
  const std::vector<double> zeros = {0, 0}, ones = {1, 1};
  const auto judge_policy = [&](const std::vector<double>& grad_norm) {
    arms.clear();
    add_arm("a",
            {.channels = {
                 {"loss", zeros}, {"grad_norm", grad_norm}, {"reward_mean", ones}, {"update_norm", ones}}});
    return judge(check_of(Relation::trained, {"loss"}), arms);
  };
  EXPECT_EQ(judge_policy(zeros).verdict, Verdict::vacuous);
  EXPECT_THAT(judge_policy(zeros).sentence, HasSubstr("the gradient of a was 0"));
  EXPECT_FALSE(judge_policy({std::nan(""), 0}).passed);
  EXPECT_TRUE(judge_policy({0, 1e-9}).passed) << "one update may have equal rewards";
  arms.clear();
  add_arm("a", {.channels = {{"loss", zeros}, {"reward_mean", ones}}});
  EXPECT_EQ(judge(check_of(Relation::trained, {"loss"}), arms).verdict, Verdict::missing);
}

TEST_F(TrainedTest, TwoStepsAreTooFew) {
  EXPECT_EQ(judge_loss({8, 7}).verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
