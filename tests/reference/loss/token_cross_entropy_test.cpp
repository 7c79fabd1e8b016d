// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/token_cross_entropy.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

TEST(TokenCrossEntropyTest, SumsOverTheLabelsThatCount) {
  const torch::Tensor logits =
      torch::tensor({0.0, 1.0, 2.0, 0.0, 5.0, -3.0}, torch::kFloat64).view({1, 3, 2});
  const torch::Tensor labels = torch::tensor({1, 0, -100}).view({1, 3});
  const double first = std::log1p(std::exp(-1.0));   // label 1 of (0, 1)
  const double second = std::log1p(std::exp(-2.0));  // label 0 of (2, 0)
  EXPECT_NEAR(token_cross_entropy_sum(logits, labels).item<double>(), first + second, 1e-15);
}

TEST(TokenCrossEntropyTest, WorksInAtLeastFloat32) {
  const torch::Tensor labels = torch::zeros({1, 1}, torch::kInt64);
  const auto dtype_for = [&](torch::ScalarType dtype) {
    return token_cross_entropy_sum(torch::zeros({1, 1, 4}, dtype), labels).scalar_type();
  };
  EXPECT_EQ(dtype_for(torch::kBFloat16), torch::kFloat32);
  EXPECT_EQ(dtype_for(torch::kFloat32), torch::kFloat32);
  EXPECT_EQ(dtype_for(torch::kFloat64), torch::kFloat64);
}

TEST(LossDivisorTest, GlobalTokensIgnoresTheCutAndMicrobatchMeanDoesNot) {
  EXPECT_EQ(loss_divisor(Normalization::global_tokens, 93, 90, 2), 93.0);
  EXPECT_EQ(loss_divisor(Normalization::microbatch_mean, 93, 90, 2), 180.0);
}

}  // namespace
}  // namespace parity::reference
