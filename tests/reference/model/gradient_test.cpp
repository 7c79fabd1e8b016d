// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "reference/loss/token_cross_entropy.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny_latent.hpp"

namespace parity::reference {
namespace {

// Central differences with h = 1e-5 in float64: truncation about h^2 = 1e-10, rounding about 1e-16 / h =
// 1e-11, both relative to the loss's derivatives of order 1.
constexpr double h = 1e-5;
constexpr double tolerance = 1e-7;

ModelDimensions tiny_tied_qwen3() {
  ModelDimensions d = tiny_dimensions();
  d.rope = Rope::rotate_half;
  d.qk_norm = d.tied = true;
  return d;
}

/// Experts with scores on their inputs, shared experts, and groups of which a token uses one.
ModelDimensions tiny_llama4() {
  ModelDimensions d = tiny_dimensions();
  d.nope_every = 2;
  d.moe = {.experts = 4,
           .top_k = 2,
           .hidden = 7,
           .shared_hidden = 5,
           .score_before = true,
           .route_norm = true,
           .route_scale = 1.5,
           .groups = 2,
           .limited_groups = 1,
           .load_balance = 1e-3};
  return d;
}

ModelDimensions tiny_fused() {
  ModelDimensions d = tiny_dimensions();
  d.fused_qkv = true;
  return d;
}

/// A gated delta net of either form, then attention, in chunks that do not divide the sequence.
ModelDimensions tiny_delta(DeltaForm form) {
  ModelDimensions d = tiny_dimensions();
  d.delta = {.attention_every = 2, .form = form, .chunk = 5};
  return d;
}

class GradientTest : public testing::TestWithParam<ModelDimensions> {};
INSTANTIATE_TEST_SUITE_P(, GradientTest,
                         testing::Values(tiny_dimensions(), tiny_tied_qwen3(), tiny_llama4(), tiny_fused(),
                                         tiny_latent(0), tiny_latent(10), tiny_delta(DeltaForm::recurrent),
                                         tiny_delta(DeltaForm::chunked)),
                         [](const auto& model) {
                           const ModelDimensions& d = model.param;
                           return d.latent.q_rank > 0 ? std::string("LatentOfQueriesToo")
                                  : d.is_latent()     ? "Latent"
                                  : d.fused_qkv       ? "Fused"
                                  : d.delta.attention_every > 0
                                      ? "Delta_" + std::string(name_of(d.delta.form))
                                  : d.tied            ? "Qwen3"
                                  : d.moe.experts > 0 ? "Llama4"
                                                      : "Llama3";
                         });

TEST_P(GradientTest, AgreesWithFiniteDifferencesForEveryParameter) {
  Decoder model(GetParam(), torch::kFloat64);
  initialize(model, 3);
  const torch::Tensor tokens = torch::arange(12).view({1, 12}) * 3;
  const torch::Tensor labels = (torch::arange(12).view({1, 12}) * 7 + 5).remainder(40);
  const auto loss = [&] { return token_cross_entropy_sum(model.forward(tokens), labels); };
  loss().backward();
  const torch::NoGradGuard no_grad;
  int largest = 0;
  for (const Parameter& parameter : model.parameters()) {
    const torch::Tensor gradient = parameter.value.grad().flatten();
    // The entry with the largest gradient, and a few fixed ones.
    std::vector<int64_t> entries = {gradient.abs().argmax().item<int64_t>(), 0, gradient.numel() / 3};
    double* values = torch::Tensor(parameter.value).data_ptr<double>();
    for (const int64_t entry : entries) {
      const double kept = values[entry];
      values[entry] = kept + h;
      const double above = loss().item<double>();
      values[entry] = kept - h;
      const double below = loss().item<double>();
      values[entry] = kept;
      const double expected = (above - below) / (2 * h);
      const double actual = gradient[entry].item<double>();
      EXPECT_LE(std::abs(actual - expected), tolerance * std::max(1.0, std::abs(expected)))
          << parameter.name << " entry " << entry << ": " << actual << " against " << expected;
      largest += std::abs(expected) > 1e-3;
    }
  }
  EXPECT_GT(largest, 20) << "the gradients are too small to test anything";
}

}  // namespace
}  // namespace parity::reference
