// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/sampling.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

/// Probabilities 1/8, 0, 1/2, 3/8 at temperature 1.
torch::Tensor logits() {
  return torch::tensor({std::log(1.0), -1e9, std::log(4.0), std::log(3.0)}, torch::kFloat64) + 2;
}

TEST(SamplingTest, TakesTheTokenAtWhichTheRunningSumPasses) {
  EXPECT_EQ(sampled_token(logits(), 1, 0), 0);
  EXPECT_EQ(sampled_token(logits(), 1, 0.1249), 0);
  EXPECT_EQ(sampled_token(logits(), 1, 0.1251), 2) << "not the token without a probability";
  EXPECT_EQ(sampled_token(logits(), 1, 0.6249), 2);
  EXPECT_EQ(sampled_token(logits(), 1, 0.6251), 3);
  EXPECT_EQ(sampled_token(logits(), 1, std::nextafter(1.0, 0.0)), 3);
}

TEST(SamplingTest, Sampling_NeverTakesAZeroProbabilityToken) {
  const torch::Tensor x = torch::tensor({0.0, 0.0, -1e9, -1e9}, torch::kFloat64);
  EXPECT_EQ(sampled_token(x, 1, std::nextafter(1.0, 0.0)), 1);
}

TEST(SamplingTest, ATemperatureDividesLogits) {
  // At 1/2 probabilities are squares: 1/26, 16/26, 9/26.
  EXPECT_EQ(sampled_token(logits(), 0.5, 0.99 / 26), 0);
  EXPECT_EQ(sampled_token(logits(), 0.5, 1.01 / 26), 2);
  EXPECT_EQ(sampled_token(logits(), 0.5, 16.99 / 26), 2);
  EXPECT_EQ(sampled_token(logits(), 0.5, 17.01 / 26), 3);
}

TEST(SamplingTest, GreedyTakesTheFirstOfEquals) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64, torch::kBFloat16}) {
    EXPECT_EQ(sampled_token(torch::tensor({1.0, 3.0, 3.0, 2.0}).to(dtype), 0, 0.9), 1);
    EXPECT_EQ(sampled_token(torch::tensor({-1.0, -1.0}).to(dtype), 0, 0.9), 0);
  }
}

TEST(SamplingTest, UniformsAreSpreadAndDifferInEachArgument) {
  std::set<double> seen;
  double sum = 0;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (uint64_t stream = 0; stream < 10; ++stream)
      for (int64_t place = 0; place < 100; ++place) {
        const double x = uniform_of(seed, stream, place);
        ASSERT_TRUE(x >= 0 && x < 1);
        seen.insert(x);
        sum += x;
      }
  EXPECT_EQ(seen.size(), 10000U);
  EXPECT_NEAR(sum / 10000, 0.5, 4 / std::sqrt(12.0 * 10000)) << "four standard deviations";
  EXPECT_EQ(uniform_of(3, 4, 5), uniform_of(3, 4, 5));
}

TEST(SamplingTest, FrequenciesAreTheProbabilities) {
  std::map<int64_t, int> counts;
  constexpr int draws = 4000;
  for (int64_t place = 0; place < draws; ++place)
    ++counts[sampled_token(logits(), 1, uniform_of(1, 2, place))];
  EXPECT_EQ(counts.count(1), 0U);
  for (const auto& [token, p] : {std::pair(0, 0.125), std::pair(2, 0.5), std::pair(3, 0.375)})
    EXPECT_NEAR(counts[token], draws * p, 4 * std::sqrt(draws * p * (1 - p))) << token;
}

}  // namespace
}  // namespace parity::reference
