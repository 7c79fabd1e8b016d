// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/normalization.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

// Two micro-batches: 1 label and 3 labels that count, so that a mean of means (weights 1/2 and 1/6) shows.
constexpr UpdateTotals totals{.micro_batches = 2, .valid_tokens = 4};

struct Part {
  torch::Tensor logits, labels;
  int64_t valid_tokens;
};

std::vector<Part> parts(torch::ScalarType dtype = torch::kFloat64) {
  const torch::Tensor all =
      torch::arange(1, 33, torch::kFloat64).mul(37).remainder(11).div(3).view({2, 4, 4}).to(dtype);
  return {{all[0].unsqueeze(0), torch::tensor({-100, 2, -100, -100}).view({1, 4}), 1},
          {all[1].unsqueeze(0), torch::tensor({0, -100, 3, 1}).view({1, 4}), 3}};
}

/// -log softmax(logits)[label] of every label that counts, summed, in plain doubles.
double cross_entropy_by_hand(const Part& part) {
  double sum = 0;
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t label = part.labels[0][s].item<int64_t>();
    if (label < 0)
      continue;
    double total = 0;
    for (int64_t v = 0; v < 4; ++v)
      total += std::exp(part.logits[0][s][v].item<double>());
    sum += std::log(total) - part.logits[0][s][label].item<double>();
  }
  return sum;
}

double update_loss_of(Normalization normalization) {
  std::vector<torch::Tensor> losses;
  for (const Part& part : parts())
    losses.push_back(LossRule{normalization, part.valid_tokens, totals}.whole(part.logits, part.labels));
  const torch::Tensor sum = sum_of_losses(normalization, losses);
  return (normalization == Normalization::gradient_scaling
              ? sum * gradient_scale(totals.valid_tokens, torch::kFloat64)
              : sum)
      .item<double>();
}

TEST(LossRuleTest, GlobalTokensAndScaling_AreTheUpdatesTokenMean) {
  const double c0 = cross_entropy_by_hand(parts()[0]), c1 = cross_entropy_by_hand(parts()[1]);
  EXPECT_NEAR(update_loss_of(Normalization::global_tokens), (c0 + c1) / 4, 1e-15);
  EXPECT_NEAR(update_loss_of(Normalization::gradient_scaling), (c0 + c1) / 4, 1e-15);
}

TEST(LossRuleTest, MicrobatchMeanIsTheMeanOfMeans) {
  const double c0 = cross_entropy_by_hand(parts()[0]), c1 = cross_entropy_by_hand(parts()[1]);
  EXPECT_NEAR(update_loss_of(Normalization::microbatch_mean), (c0 / 1 + c1 / 3) / 2, 1e-15);
  EXPECT_GT(std::abs(update_loss_of(Normalization::microbatch_mean) - (c0 + c1) / 4), 1e-3);
}

TEST(LossRuleTest, GradientScalingDifferentiatesTheBareSum) {
  const Part part = parts()[1];
  const torch::Tensor logits = part.logits.detach().requires_grad_();
  const torch::Tensor sum = parts()[1].logits.detach().requires_grad_();
  const LossRule scaling{Normalization::gradient_scaling, 3, {}};
  scaling.whole(logits, part.labels).backward();
  const LossRule sums{Normalization::global_tokens, 3, {.micro_batches = 1, .valid_tokens = 1}};
  sums.whole(sum, part.labels).backward();
  EXPECT_TRUE(torch::equal(logits.grad(), sum.grad()));  // 3 / 3 is exact, so not one bit is lost
}

TEST(LossRuleTest, SharesSumToTheWhole) {
  for (const Part& part : parts())
    for (const Normalization normalization :
         {Normalization::global_tokens, Normalization::microbatch_mean, Normalization::gradient_scaling}) {
      const LossRule rule{normalization, part.valid_tokens, totals};
      double sum = 0;
      for (int64_t first = 0; first < 4; first += 2)
        sum += rule.share(part.logits.flatten(0, 1).narrow(0, first, 2),
                          part.labels.flatten().narrow(0, first, 2))
                   .item<double>();
      EXPECT_NEAR(sum, rule.whole(part.logits, part.labels).item<double>(), 1e-15) << name_of(normalization);
    }
}

TEST(LossRuleTest, MicroBatchWithoutLabels_AddsZeroOrHasNoMean) {
  const torch::Tensor labels = torch::full({1, 4}, -100, torch::kInt64);
  for (const Normalization normalization : {Normalization::global_tokens, Normalization::gradient_scaling}) {
    const torch::Tensor logits = parts()[0].logits.detach().requires_grad_();
    const torch::Tensor loss = LossRule{normalization, 0, totals}.whole(logits, labels);
    loss.backward();
    EXPECT_EQ(loss.item<double>(), 0.0);
    EXPECT_EQ(logits.grad().abs().max().item<double>(), 0.0);
  }
  const LossRule mean{Normalization::microbatch_mean, 0, totals};
  EXPECT_FALSE(mean.defined());
  EXPECT_THROW(mean.whole(parts()[0].logits, labels), InternalError);
}

TEST(LossRuleTest, GlobalTokensWithoutTheTotalIsABrokenInvariant) {
  const LossRule rule{Normalization::global_tokens, 3, {.micro_batches = 2, .valid_tokens = 0}};
  EXPECT_THROW(rule.whole(parts()[1].logits, parts()[1].labels), InternalError);
}

TEST(GradientScaleTest, IsTheReciprocalInAtLeastFloat32) {
  EXPECT_EQ(gradient_scale(3, torch::kFloat64).item<double>(), 1.0 / 3);
  EXPECT_EQ(gradient_scale(3, torch::kFloat32).item<float>(), 1.0F / 3);
  EXPECT_EQ(gradient_scale(3, torch::kBFloat16).scalar_type(), torch::kFloat32);
  EXPECT_EQ(gradient_scale(1024, torch::kFloat32).item<double>(), 0x1p-10);
}

}  // namespace
}  // namespace parity::reference
