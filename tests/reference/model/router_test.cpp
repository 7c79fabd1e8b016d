// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/router.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

torch::Tensor row(std::vector<double> values) {
  return torch::tensor(values, torch::kFloat64).unsqueeze(0);
}

std::vector<int64_t> chosen(const Routing& routing, int64_t token = 0) {
  const torch::Tensor experts = routing.experts_TK[token].contiguous();
  return {experts.const_data_ptr<int64_t>(), experts.const_data_ptr<int64_t>() + experts.numel()};
}

/// Of one expert of the first token.
double score_of(const Routing& routing, int64_t expert) {
  return routing.scores_TK[0].masked_select(routing.experts_TK[0].eq(expert)).item<double>();
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(RouterTest, NormedSoftmaxScores_OfTheBestSumToOne) {
  MoeDimensions moe{.experts = 4, .top_k = 2, .score = RouterScore::softmax};
  const torch::Tensor logits = row({0, std::log(2), std::log(3), std::log(4)});  // softmax: .1 .2 .3 .4
  const Routing plain = route(logits, {}, moe);
  EXPECT_THAT(chosen(plain), UnorderedElementsAre(2, 3));
  EXPECT_NEAR(score_of(plain, 2), 0.3, 1e-15);
  EXPECT_NEAR(score_of(plain, 3), 0.4, 1e-15);
  moe.route_norm = true;
  moe.route_scale = 2.5;
  const Routing normed = route(logits, {}, moe);
  EXPECT_NEAR(score_of(normed, 2), 2.5 * 3 / 7, 1e-15);
  EXPECT_NEAR(score_of(normed, 3), 2.5 * 4 / 7, 1e-15);
}

TEST(RouterTest, ABiasDecidesTheChoiceAndNotTheWeight) {
  const MoeDimensions moe{.experts = 3, .top_k = 1};
  const torch::Tensor logits = row({1, 0.9, -2});
  EXPECT_THAT(chosen(route(logits, {}, moe)), ElementsAre(0));
  const Routing biased = route(logits, row({0, 0.1, 0})[0], moe);
  EXPECT_THAT(chosen(biased), ElementsAre(1));
  EXPECT_NEAR(score_of(biased, 1), sigmoid(0.9), 1e-15);
}

TEST(RouterTest, Groups_AreChosenByTheirBestTwoScores) {
  const MoeDimensions moe{.experts = 6, .top_k = 2, .groups = 2, .limited_groups = 1};
  // The best single expert is in the first group, the best pair in the second one.
  const torch::Tensor logits = row({3, -9, -9, 1, 1.5, -9});
  EXPECT_THAT(chosen(route(logits, {}, moe)), UnorderedElementsAre(3, 4));
  // A bias of -0.9 on expert 4 leaves the first group with the better pair.
  const torch::Tensor bias = row({0, 0, 0, 0, -0.9, 0})[0];
  EXPECT_EQ(score_of(route(logits, bias, moe), 0), sigmoid(3));
}

TEST(RouterTest, ForcedBalanceGoesThroughTheExpertsInTurn) {
  const MoeDimensions moe{.experts = 3, .top_k = 2, .force_balance = true};
  const torch::Tensor logits = torch::tensor({{5.0, 1.0, 0.0}, {5.0, 1.0, 0.0}}, torch::kFloat64);
  const Routing routing = route(logits, {}, moe);
  EXPECT_THAT(chosen(routing, 0), ElementsAre(0, 1));
  EXPECT_THAT(chosen(routing, 1), ElementsAre(2, 0));
  EXPECT_NEAR(score_of(routing, 1), sigmoid(1), 1e-15);
}

TEST(RouterTest, GradientsOfScoresAreThoseOfFiniteDifferences) {
  for (const RouterScore score : {RouterScore::softmax, RouterScore::sigmoid}) {
    const MoeDimensions moe{.experts = 5, .top_k = 3, .score = score, .route_norm = true, .route_scale = 1.5};
    const torch::Tensor logits = row({0.3, -0.2, 1.1, 0.7, -1.4});
    const auto value = [&](const torch::Tensor& x) {
      const Routing routing = route(x, {}, moe);
      return (routing.scores_TK * (routing.experts_TK + 1).square()).sum();
    };
    torch::Tensor x = logits.clone().requires_grad_();
    value(x).backward();
    constexpr double h = 1e-5;  // as gradient_test.cpp: truncation and rounding stay below 1e-9
    for (int64_t e = 0; e < 5; ++e) {
      torch::Tensor above = logits.clone(), below = logits.clone();
      above[0][e] += h;
      below[0][e] -= h;
      const double expected = (value(above).item<double>() - value(below).item<double>()) / (2 * h);
      EXPECT_NEAR(x.grad()[0][e].item<double>(), expected, 1e-7) << "expert " << e;
    }
  }
}

}  // namespace
}  // namespace parity::reference
