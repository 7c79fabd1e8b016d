// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/batch_invariance.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include <torch/autograd.h>

#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

constexpr int64_t longest = 70;

/// Widths that no vector length divides; one key head, so that heads and their elements are contiguous.
ModelDimensions odd_dimensions(bool latent) {
  RunConfig config = tiny_config();
  config.architecture.n_heads = latent ? 4 : 2;
  config.architecture.n_kv_heads = latent ? 0 : 1;
  config.architecture.dim = 20;
  config.architecture.ffn_hidden = 27;
  config.architecture.max_seq_len = longest;
  if (latent) {
    config.architecture.kv_lora_rank = 6;
    config.architecture.qk_nope_head_dim = 4;
    config.architecture.qk_rope_head_dim = 2;
    config.architecture.v_head_dim = 3;
  }
  return dimensions_of(config);
}

enum class Products { ordinary, invariant };

Decoder make_model(const ModelDimensions& dimensions, torch::ScalarType dtype, AttentionBackend backend,
                   Products products) {
  const torch::ScalarType wide = dtype == torch::kBFloat16 ? torch::kFloat32 : dtype;
  Decoder model(dimensions, wide, {backend, {DocumentRule{DocumentBoundary::position_zero}}});
  initialize(model, 3);
  // Ten times the initial weights: with smaller ones, scores are so small that one bit of a query or key
  // changes no logit.
  model.visit_weights([&](const std::string&, torch::Tensor& weight) {
    const torch::NoGradGuard no_grad;
    weight.mul_(10);
  });
  if (dtype != wide)
    model.visit_weights(
        [&](const std::string&, torch::Tensor& weight) { weight = weight.detach().to(dtype); });
  if (products == Products::invariant)
    make_batch_invariant(model.hooks());
  return model;
}

torch::Tensor tokens_of(int64_t length) {
  return (torch::arange(length, torch::kInt64) * (length + 3) + 7 * length).remainder(40);
}

/// Returns the logits of sequences of the given lengths, concatenated in one row; one of each.
std::vector<torch::Tensor> logits_of(const Decoder& model, const std::vector<int64_t>& lengths) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> tokens, positions;
  for (const int64_t length : lengths) {
    tokens.push_back(tokens_of(length));
    positions.push_back(torch::arange(length, torch::kInt64));
  }
  const torch::Tensor row = at::cat(tokens).unsqueeze(0), places = at::cat(positions).unsqueeze(0);
  const torch::Tensor logits = model.forward({row, places, model.get_attention_masks(row, places)});
  return logits.squeeze(0).split_with_sizes(lengths);
}

/// Returns the sequences of 1 to 70 tokens that have a different logit alone than in one row with the others.
int64_t sequences_that_differ(const Decoder& model) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < longest; ++i)
    lengths.push_back(1 + (33 + 27 * i) % longest);  // 27 and 70 have no common divisor: each length once
  const std::vector<torch::Tensor> together = logits_of(model, lengths);
  int64_t differ = 0;
  for (size_t i = 0; i < lengths.size(); ++i)
    differ += logits_of(model, {lengths[i]})[0].equal(together[i]) ? 0 : 1;
  return differ;
}

class BatchInvarianceTest : public testing::TestWithParam<torch::ScalarType> {};
INSTANTIATE_TEST_SUITE_P(, BatchInvarianceTest,
                         testing::Values(torch::kFloat32, torch::kFloat64, torch::kBFloat16),
                         [](const auto& instance) { return c10::toString(instance.param); });

TEST_P(BatchInvarianceTest, Logits_SameBitsAloneAndAmongOthers) {
  for (const bool latent : {false, true})
    EXPECT_EQ(sequences_that_differ(make_model(odd_dimensions(latent), GetParam(), AttentionBackend::tiled,
                                               Products::invariant)),
              0)
        << "latent " << latent;
}

TEST_P(BatchInvarianceTest, AndInRowsOfABatch) {
  const Decoder model =
      make_model(odd_dimensions(false), GetParam(), AttentionBackend::tiled, Products::invariant);
  const torch::NoGradGuard no_grad;
  for (const int64_t length : {1, 5, 16, 31}) {
    const torch::Tensor one = tokens_of(length).unsqueeze(0), places = torch::arange(length).unsqueeze(0);
    const torch::Tensor three = at::cat({one + 0, (one + 1).remainder(40), (one + 2).remainder(40)});
    const torch::Tensor all = places.expand({3, length}).contiguous();
    const torch::Tensor alone = model.forward({one, places, model.get_attention_masks(one, places)});
    const torch::Tensor batch = model.forward({three, all, model.get_attention_masks(three, all)});
    EXPECT_TRUE(batch[0].equal(alone[0])) << length;
    EXPECT_FALSE(batch[1].equal(alone[0])) << length;
  }
}

TEST(BatchInvariantModelTest, OrdinaryAttentionOrSiluIsNotInvariant) {
  const ModelDimensions dimensions = odd_dimensions(false);
  EXPECT_GT(sequences_that_differ(
                make_model(dimensions, torch::kFloat32, AttentionBackend::flex, Products::invariant)),
            0);
  EXPECT_GT(sequences_that_differ(
                make_model(dimensions, torch::kFloat32, AttentionBackend::tiled, Products::ordinary)),
            0);
}

/// A result [1, T, ...] whose last token is one step off.
torch::Tensor with_a_step_in_the_last_token(const torch::Tensor& y) {
  torch::Tensor result = y.clone();
  torch::Tensor real = result.is_complex() ? torch::view_as_real(result) : result;
  real.select(1, -1).nextafter_(torch::full({}, 1e9, real.options()));
  return result;
}

TEST_P(BatchInvarianceTest, OperatorRoundingLastTokenOtherwise_IsSeen) {
  const auto differ_with = [](const char* name, const auto& plant) {
    Decoder model =
        make_model(odd_dimensions(false), GetParam(), AttentionBackend::tiled, Products::invariant);
    ModuleHooks::Operators operators = model.hooks().operators();
    plant(operators);
    model.hooks().compute_with(operators);
    EXPECT_GT(sequences_that_differ(model), longest / 2) << name;
  };
  const auto planted = [](const auto& operation) {
    return [operation](const auto&... arguments) {
      return with_a_step_in_the_last_token(operation(arguments...));
    };
  };
  differ_with("linear", [&](auto& operators) { operators.linear = planted(operators.linear); });
  differ_with("silu", [&](auto& operators) { operators.silu = planted(operators.silu); });
  differ_with("rms_norm", [&](auto& operators) { operators.rms_norm = planted(operators.rms_norm); });
  if (GetParam() != torch::kBFloat16)  // rounds a step of float32 away
    differ_with("complex_product",
                [&](auto& operators) { operators.complex_product = planted(operators.complex_product); });
}

TEST(BatchInvariantModelTest, GradientsAreTheOrdinaryOnesUpToRounding) {
  const ModelDimensions dimensions = odd_dimensions(false);
  std::vector<std::vector<torch::Tensor>> gradients;
  for (const Products products : {Products::ordinary, Products::invariant}) {
    const Decoder model = make_model(
        dimensions, torch::kFloat64,
        products == Products::invariant ? AttentionBackend::tiled : AttentionBackend::varlen, products);
    const torch::Tensor tokens = at::cat({tokens_of(9), tokens_of(30)}).unsqueeze(0);
    const torch::Tensor places = at::cat({torch::arange(9), torch::arange(30)}).unsqueeze(0);
    const torch::Tensor logits = model.forward({tokens, places, model.get_attention_masks(tokens, places)});
    std::vector<torch::Tensor> weights;
    for (const Parameter& parameter : model.parameters())
      weights.push_back(parameter.value);
    gradients.push_back(torch::autograd::grad({logits.square().sum()}, weights));
  }
  for (size_t i = 0; i < gradients[0].size(); ++i)
    EXPECT_LE((gradients[1][i] - gradients[0][i]).norm().item<double>(),
              1e-12 * gradients[0][i].norm().item<double>())
        << i;
}

}  // namespace
}  // namespace parity::reference
