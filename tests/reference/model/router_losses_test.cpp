// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/router_losses.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace parity::reference {
namespace {

torch::Tensor numbers(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}

MoeDimensions balanced(BalanceLoss kind) {
  return {
      .experts = 3, .top_k = 1, .score = RouterScore::softmax, .balance_loss = kind, .balance_loss_coeff = 1};
}

/// The losses of a router whose logits are given, [T, 3].
RouterLosses losses_of(const torch::Tensor& logits_TE, const MoeDimensions& dimensions,
                       const RouterLossShare& share = {}, int64_t sequences = 1) {
  return router_losses(logits_TE, route(logits_TE, {}, dimensions), sequences, {}, dimensions, share);
}

/// Four tokens of which three choose expert 0 and one chooses expert 2.
torch::Tensor four_logits() {
  return torch::stack({numbers({2, 0, 1}), numbers({1, 0, -1}), numbers({0, -1, 3}), numbers({4, 1, 0})});
}

TEST(RouterLossesTest, EvenLoad_IsOne) {
  const torch::Tensor p = torch::full({1, 6, 3}, 1.0 / 3, torch::kFloat64);
  EXPECT_NEAR(balance_loss(p, numbers({2, 2, 2}).unsqueeze(0), 1).item<double>(), 1, 1e-15);
}

TEST(RouterLossesTest, Load_IsWeighedByMeanProbabilities) {
  const torch::Tensor p = four_logits().softmax(-1).mean(0);
  const double expected = 3 * (0.75 * p[0].item<double>() + 0.25 * p[2].item<double>());
  EXPECT_NEAR(losses_of(four_logits(), balanced(BalanceLoss::tokens)).balance.item<double>(), expected,
              1e-15);
}

TEST(RouterLossesTest, Sequences_AreAveraged) {
  const MoeDimensions each = balanced(BalanceLoss::sequence);
  const double first = losses_of(four_logits().narrow(0, 0, 2), each).balance.item<double>(),
               second = losses_of(four_logits().narrow(0, 2, 2), each).balance.item<double>();
  EXPECT_NEAR(losses_of(four_logits(), each, {}, 2).balance.item<double>(), (first + second) / 2, 1e-15);
  EXPECT_NE(first, second);
}

TEST(RouterLossesTest, PartsOfTheTokens_AddUpToTheWhole) {
  MoeDimensions dimensions = balanced(BalanceLoss::tokens);
  dimensions.z_loss_coeff = 0.5;
  const RouterLosses whole = losses_of(four_logits(), dimensions);
  double balance = 0, z = 0;
  for (const int64_t first : {0, 2}) {
    RouterLossShare share;
    share.parts = 2;
    share.sum_over_parts = [](const torch::Tensor& counts) { counts.copy_(numbers({3, 0, 1}).unsqueeze(0)); };
    const RouterLosses part = losses_of(four_logits().narrow(0, first, 2), dimensions, share);
    balance += part.balance.item<double>();
    z += part.z.item<double>();
  }
  EXPECT_NEAR(balance, whole.balance.item<double>(), 1e-15);
  EXPECT_NEAR(z, whole.z.item<double>(), 1e-15);
}

TEST(RouterLossesTest, ZLoss_IsTheMeanSquareOfLogSums) {
  MoeDimensions dimensions{.experts = 3, .top_k = 1, .score = RouterScore::softmax, .z_loss_coeff = 0.5};
  const RouterLosses losses = losses_of(torch::zeros({2, 3}, torch::kFloat64), dimensions);
  EXPECT_NEAR(losses.z.item<double>(), 0.5 * std::pow(std::log(3), 2), 1e-15);
  EXPECT_FALSE(losses.balance.defined());
}

TEST(RouterLossesTest, Backward_AddsTheLossesAndForwardDoesNot) {
  const torch::Tensor x = numbers({1, 2, 3}).requires_grad_();
  const torch::Tensor y = with_losses(x, {(x * x).sum(), x.sum()}, 0.5);
  EXPECT_TRUE(y.equal(x));
  (3 * y).sum().backward();
  EXPECT_TRUE(x.grad().equal(numbers({3 + 0.5 * (2 + 1), 3 + 0.5 * (4 + 1), 3 + 0.5 * (6 + 1)})));
}

}  // namespace
}  // namespace parity::reference
