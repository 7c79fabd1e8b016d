// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/policy_loss.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

constexpr PolicyDivisor three = {.tokens = 3, .completions = 2, .ranks = 2};

/// Two completions, of two tokens and of one; the fourth place does not count.
PolicyTokens two_completions(double first_ratio = 1.5) {
  const auto f64 = torch::kFloat64;
  PolicyTokens tokens;
  tokens.generator = torch::tensor({{-1.0, -2.0}, {-0.5, 0.0}}, f64);
  tokens.logprobs = torch::tensor({{-1.0 + std::log(first_ratio), -2.0}, {-0.5 + std::log(0.5), -7.0}}, f64)
                        .requires_grad_();
  tokens.entropy = torch::tensor({{1.0, 2.0}, {3.0, 9.0}}, f64);
  tokens.advantages = torch::tensor({{2.0, 2.0}, {-1.0, 0.0}}, f64);
  tokens.counts = torch::tensor({{true, true}, {true, false}});
  return tokens;
}

RlConfig config_of(PolicyLossName loss) {
  RlConfig config;
  config.loss = loss;
  return config;
}

double loss_of(const PolicyTokens& tokens, const RlConfig& config) {
  return policy_loss(tokens, config, three).loss.item<double>();
}

torch::Tensor gradient_of(const PolicyTokens& tokens, const RlConfig& config) {
  policy_loss(tokens, config, three).loss.backward();
  return tokens.logprobs.grad();
}

// ratios 1.5, 1 with A = 2 and 0.5 with A = -1
TEST(PolicyLossTest, GrpoClipsEachToken) {
  EXPECT_DOUBLE_EQ(loss_of(two_completions(), config_of(PolicyLossName::grpo)), -(1.2 * 2 + 1 * 2 - 0.8) / 3);
}

TEST(PolicyLossTest, DapoClipsHigher) {
  EXPECT_DOUBLE_EQ(loss_of(two_completions(), config_of(PolicyLossName::dapo)),
                   -(1.28 * 2 + 1 * 2 - 0.8) / 3);
}

TEST(PolicyLossTest, OnlyRatiosThatAreNotClippedHaveGradients) {
  const torch::Tensor gradient = gradient_of(two_completions(), config_of(PolicyLossName::grpo));
  const torch::Tensor expected = torch::tensor({{0.0, -2.0 / 3}, {0.0, 0.0}}, torch::kFloat64);
  EXPECT_TRUE(torch::allclose(gradient, expected, 1e-15, 0)) << gradient;
}

TEST(PolicyLossTest, ImportanceSamplingDoesNotClip) {
  EXPECT_DOUBLE_EQ(loss_of(two_completions(), config_of(PolicyLossName::importance_sampling)),
                   -(1.5 * 2 + 1 * 2 - 0.5) / 3);
}

TEST(PolicyLossTest, PpoBoundsTheRatioWhereTheAdvantageIsNegative) {
  PolicyTokens tokens = two_completions();
  const RlConfig config = config_of(PolicyLossName::ppo);
  EXPECT_DOUBLE_EQ(loss_of(tokens, config), -(1.2 * 2 + 1 * 2 - 0.8) / 3);
  tokens.logprobs = torch::tensor({{-1.0, -2.0}, {-0.5 + std::log(5.0), 0.0}}, torch::kFloat64);
  EXPECT_DOUBLE_EQ(loss_of(tokens, config), -(2 + 2 - 3.0) / 3) << "a ratio of 5 counts as 3";
}

TEST(PolicyLossTest, SftIsTheMeanOfTheLogProbabilities) {
  EXPECT_DOUBLE_EQ(loss_of(two_completions(1), config_of(PolicyLossName::sft)),
                   (1 + 2 + 0.5 - std::log(0.5)) / 3);
}

TEST(PolicyLossTest, SequenceLoss_BadCompletions_HaveNoGradient) {
  const PolicyTokens tokens = two_completions(1);
  const torch::Tensor gradient = gradient_of(tokens, config_of(PolicyLossName::grpo_sequence));
  EXPECT_NE(gradient[0][0].item<double>(), 0);
  EXPECT_EQ(gradient[1][0].item<double>(), 0) << "its ratio, a probability, is below 0.8";
  const double good = std::exp(-1.5) * 2, bad = -0.8;
  EXPECT_DOUBLE_EQ(loss_of(tokens, config_of(PolicyLossName::grpo_sequence)), -(good + bad) / 2);
}

TEST(PolicyLossTest, TheSequenceLossTakesItsRatiosToTheReference) {
  PolicyTokens tokens = two_completions(1);
  tokens.reference = tokens.logprobs.detach() - 0.1;
  RlConfig config = config_of(PolicyLossName::grpo_sequence);
  config.kl_coef = 0.5;
  const double ratio = std::exp(0.1), kl = ratio - 1 - 0.1;
  EXPECT_NEAR(loss_of(tokens, config), -(ratio * 2 - ratio) / 2 + 0.5 * kl, 1e-15);
}

TEST(PolicyLossTest, ADivergenceFromTheReferenceIsAdded) {
  PolicyTokens tokens = two_completions(1);
  RlConfig config = config_of(PolicyLossName::grpo);
  const double before = loss_of(tokens, config);
  tokens.reference = tokens.logprobs.detach() + 0.2;
  EXPECT_EQ(loss_of(tokens, config), before) << "weight 0";
  config.kl_coef = 0.5;
  EXPECT_NEAR(loss_of(tokens, config), before + 0.5 * (std::exp(0.2) - 0.2 - 1), 1e-15);
}

TEST(PolicyLossTest, TimesDpIsTheRanksManifold) {
  RlConfig config = config_of(PolicyLossName::grpo);
  const double once = loss_of(two_completions(), config);
  config.normalization = PolicyNormalization::times_dp;
  EXPECT_EQ(loss_of(two_completions(), config), 2 * once);
}

TEST(PolicyLossTest, RankMeanDividesByItsOwnCompletions) {
  RlConfig config = config_of(PolicyLossName::grpo_sequence);
  const PolicyDivisor many = {.tokens = 30, .completions = 20, .ranks = 2};
  const double of_all = policy_loss(two_completions(), config, many).loss.item<double>();
  config.normalization = PolicyNormalization::rank_mean;
  EXPECT_DOUBLE_EQ(policy_loss(two_completions(), config, many).loss.item<double>(), 10 * of_all);
}

TEST(PolicyLossTest, UncountedNonFiniteLogProb_KeepsGradsFinite) {
  for (const double unknown : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    PolicyTokens tokens = two_completions();
    tokens.generator[1][1] = unknown;
    for (const PolicyLossName loss : {PolicyLossName::grpo, PolicyLossName::ppo, PolicyLossName::sft,
                                      PolicyLossName::importance_sampling, PolicyLossName::grpo_sequence}) {
      tokens.logprobs.mutable_grad().reset();
      EXPECT_TRUE(gradient_of(tokens, config_of(loss)).isfinite().all().item<bool>());
    }
  }
}

TEST(PolicyLossTest, TellsWhatItSaw) {
  const PolicySums sums = policy_loss(two_completions(), config_of(PolicyLossName::grpo), three).sums;
  EXPECT_EQ(sums.tokens, 3);
  EXPECT_EQ(sums.terms, 3);
  EXPECT_DOUBLE_EQ(sums.ratio, 1.5 + 1 + 0.5);
  EXPECT_EQ(sums.clipped, 2);
  EXPECT_NEAR(sums.diff, std::log(1.5) + std::log(0.5), 1e-15);
  EXPECT_EQ(sums.different, 2);
  EXPECT_EQ(sums.equal, 1);
  EXPECT_EQ(sums.entropy, 6);
  EXPECT_DOUBLE_EQ(sums.max_diff, std::log(2.0));
}

TEST(PolicyLossTest, SumsAddUpButTheLargestDistance) {
  PolicySums sums{.tokens = 1, .diff = 2, .max_diff = 3};
  sums += {.tokens = 10, .diff = 20, .max_diff = 1};
  EXPECT_EQ(sums.tokens, 11);
  EXPECT_EQ(sums.diff, 22);
  EXPECT_EQ(sums.max_diff, 3);
}

TEST(PolicyLossTest, RefusesAnUpdateWithoutTokens) {
  EXPECT_THROW(policy_loss(two_completions(), config_of(PolicyLossName::grpo), {}), InternalError);
}

}  // namespace
}  // namespace parity::reference
