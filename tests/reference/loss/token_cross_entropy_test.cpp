// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/token_cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

const torch::Tensor& logits() {
  static const torch::Tensor values =
      torch::tensor({0.0, 1.0, 2.0, 0.0, 5.0, -3.0}, torch::kFloat64).view({1, 3, 2});
  return values;
}
const double first = std::log1p(std::exp(-1.0));   // label 1 of (0, 1)
const double second = std::log1p(std::exp(-2.0));  // label 0 of (2, 0)

TEST(TokenCrossEntropyTest, SumsOverTheLabelsThatCount) {
  const torch::Tensor labels = torch::tensor({1, 0, -100}).view({1, 3});
  EXPECT_NEAR(token_cross_entropy_sum(logits(), labels).item<double>(), first + second, 1e-15);
  EXPECT_NEAR(token_cross_entropy_mean(logits(), labels).item<double>(), (first + second) / 2, 1e-15);
}

TEST(TokenCrossEntropyTest, TakesTokensWithoutTheirBatchAsWell) {
  const torch::Tensor labels = torch::tensor({1, 0, -100});
  const torch::Tensor flat = logits().view({3, 2});
  EXPECT_TRUE(torch::equal(token_cross_entropy_sum(flat, labels),
                           token_cross_entropy_sum(logits(), labels.view({1, 3}))));
}

TEST(TokenCrossEntropyTest, WithoutALabelTheSumIsZeroAndTheMeanIsNaN) {
  const torch::Tensor labels = torch::full({1, 3}, -100, torch::kInt64);
  EXPECT_EQ(token_cross_entropy_sum(logits(), labels).item<double>(), 0.0);
  EXPECT_TRUE(std::isnan(token_cross_entropy_mean(logits(), labels).item<double>()));
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

// What batch invariance requires of PyTorch's log_softmax: it computes each row on its own.
TEST(TokenCrossEntropyTest, OneRow_AmongOthers_HasTheSameBits) {
  torch::manual_seed(4);
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64, torch::kBFloat16})
    for (const int64_t words : {2, 3, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 257, 2048}) {
      const torch::Tensor x = (torch::randn({70, words}) * 5).to(dtype);
      const torch::Tensor labels = torch::arange(70).remainder(words);
      for (const auto& form : {token_cross_entropy, token_cross_entropy_by_gather}) {
        const torch::Tensor all = form(x, labels);
        for (int64_t row = 0; row < 70; ++row)
          for (const int64_t count : {int64_t{1}, std::min<int64_t>(3, 70 - row), 70 - row})
            ASSERT_TRUE(
                form(x.narrow(0, row, count), labels.narrow(0, row, count)).equal(all.narrow(0, row, count)))
                << dtype << ", " << words << " words, row " << row << ", " << count << " rows";
      }
    }
}

}  // namespace
}  // namespace parity::reference
