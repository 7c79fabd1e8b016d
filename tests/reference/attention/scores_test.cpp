// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Caps of attention's scores and sinks: flex against dense, and both against finite differences.
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/attention/attention.hpp"

namespace parity::reference {
namespace {

torch::Tensor gaussian(std::vector<int64_t> shape) {
  return torch::randn(shape, torch::kFloat64).requires_grad_();
}

/// Two rows of documents, six tokens each.
Mask documents() {
  MaskRule rule;
  rule.documents = DocumentRule{DocumentBoundary::position_zero, -1};
  const std::vector<int64_t> tokens(12, 1), positions = {0, 1, 2, 0, 1, 0, 0, 1, 2, 3, 4, 5};
  return make_mask(rule, tokens, positions, 6);
}

struct ScoreInputs {
  torch::Tensor q = gaussian({2, 4, 6, 2}), k = gaussian({2, 2, 6, 2}), v = gaussian({2, 2, 6, 3}),
                sinks = gaussian({4});

  torch::Tensor attended(AttentionBackend backend, double cap, bool has_sinks) const {
    ScoreRule rule(0.9);
    rule.softcap = cap;
    if (has_sinks)
      rule.sinks_H = sinks;
    return attend(q, k, v, masks_for(backend, documents()), rule);
  }
  std::vector<torch::Tensor> all() const { return {q, k, v, sinks}; }
  std::vector<torch::Tensor> gradients(AttentionBackend backend, double cap, bool has_sinks,
                                       const torch::Tensor& weights) const {
    std::vector<torch::Tensor> inputs = all();
    if (!has_sinks)
      inputs.pop_back();
    return torch::autograd::grad({(attended(backend, cap, has_sinks) * weights).sum()}, inputs);
  }
};

TEST(ScoresTest, FlexAndDense_AgreeInBothDirections) {
  torch::manual_seed(3);
  const ScoreInputs inputs;
  const torch::Tensor weights = torch::randn({2, 4, 6, 3}, torch::kFloat64);
  for (const double cap : {0.0, 1.5})
    for (const bool has_sinks : {false, true}) {
      const auto close = [](const torch::Tensor& a, const torch::Tensor& b) {
        return a.allclose(b, 1e-12, 1e-13);
      };
      EXPECT_TRUE(close(inputs.attended(AttentionBackend::flex, cap, has_sinks),
                        inputs.attended(AttentionBackend::dense, cap, has_sinks)))
          << cap << has_sinks;
      const auto flex = inputs.gradients(AttentionBackend::flex, cap, has_sinks, weights),
                 dense = inputs.gradients(AttentionBackend::dense, cap, has_sinks, weights);
      for (size_t i = 0; i < flex.size(); ++i)
        EXPECT_TRUE(close(flex[i], dense[i])) << cap << has_sinks << ", input " << i;
    }
}

TEST(ScoresTest, GradientOfSinks_AgreesWithDifferences) {
  torch::manual_seed(4);
  const ScoreInputs inputs;
  const torch::Tensor weights = torch::randn({2, 4, 6, 3}, torch::kFloat64);
  const torch::Tensor gradient = inputs.gradients(AttentionBackend::flex, 1.5, true, weights).back();
  const auto loss = [&] {
    return (inputs.attended(AttentionBackend::dense, 1.5, true) * weights).sum().item<double>();
  };
  const torch::NoGradGuard no_grad;
  constexpr double h = 1e-5;  // truncation h^2 = 1e-10, rounding 1e-16 / h = 1e-11
  for (int64_t head = 0; head < 4; ++head) {
    const torch::Tensor sink = inputs.sinks[head];
    sink.add_(h);
    const double above = loss();
    sink.sub_(2 * h);
    const double below = loss();
    sink.add_(h);
    EXPECT_NEAR(gradient[head].item<double>(), (above - below) / (2 * h), 1e-8) << head;
  }
}

TEST(ScoresTest, Sinks_TakeWeightFromEveryKey) {
  torch::manual_seed(5);
  ScoreInputs inputs;
  const torch::NoGradGuard no_grad;
  inputs.sinks.fill_(-1e9);
  EXPECT_TRUE(inputs.attended(AttentionBackend::flex, 0, true)
                  .allclose(inputs.attended(AttentionBackend::flex, 0, false), 1e-13, 1e-14));
  inputs.sinks.fill_(1e9);
  EXPECT_EQ(inputs.attended(AttentionBackend::dense, 0, true).abs().max().item<double>(), 0);
}

TEST(ScoresTest, BackendsWithoutScores_AreRefused) {
  const ScoreInputs inputs;
  ScoreRule rule;
  rule.softcap = 1;
  EXPECT_THROW(attend(inputs.q, inputs.k, inputs.v, {}, rule), InternalError);
}

}  // namespace
}  // namespace parity::reference
