// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// q, k and v in one weight, against the model with separate weights.
#include <gtest/gtest.h>

#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/pytorch/pytorch_draws.hpp"

namespace parity::reference {
namespace {

const std::string wqkv = "layers.1.attention.wqkv.weight";

torch::Tensor fused_of(const std::map<std::string, torch::Tensor>& apart, int64_t head_dim) {
  const auto of = [&](const char* name) {
    return apart.at(fmt::format("layers.1.attention.{}.weight", name));
  };
  return fused_rows(of("wq"), of("wk"), of("wv"), head_dim);
}

/// Four query heads on two key heads, without and with norms of heads.
ModelDimensions fused_dimensions(bool qk_norm) {
  ModelDimensions d = tiny_dimensions();
  d.qk_norm = qk_norm;
  d.fused_qkv = true;
  return d;
}

ModelDimensions apart(ModelDimensions d) {
  d.fused_qkv = false;
  return d;
}

TEST(FusedQkvTest, FusedRows_AreQueriesKeyAndValuePerKeyHead) {
  // Two key heads of width 2 with two queries each: rows 0..7 of q, 10..13 of k, 20..23 of v.
  const auto column = [](int64_t first, int64_t count) {
    return torch::arange(first, first + count).view({-1, 1});
  };
  const torch::Tensor q = column(0, 8), k = column(10, 4), v = column(20, 4);
  const torch::Tensor fused = fused_rows(q, k, v, 2);
  EXPECT_TRUE(fused.flatten().equal(
      torch::tensor({0, 1, 2, 3, 10, 11, 20, 21, 4, 5, 6, 7, 12, 13, 22, 23}, torch::kInt64)));
  const auto [own_q, own_k, own_v] = split_rows(fused, 0, 2, 2);
  EXPECT_TRUE(own_q.equal(q) && own_k.equal(k) && own_v.equal(v));
}

TEST(FusedQkvTest, HasTheNumbersOfTheModelThatIsApart) {
  for (const RopeWeights rows : {RopeWeights::own, RopeWeights::permuted}) {
    ModelDimensions d = fused_dimensions(true);
    d.rope_weights = rows;
    Decoder fused(d, torch::kFloat32), split(apart(d), torch::kFloat32);
    initialize(fused, 3);
    initialize(split, 3);
    const auto one = weights_of(fused), other = weights_of(split);
    EXPECT_EQ(one.size() + 2 * 2, other.size()) << "one weight in the place of three, in two blocks";
    EXPECT_TRUE(one.at(wqkv).equal(fused_of(other, d.head_dim())));
    for (const auto& [name, weight] : one) {
      const bool is_fused = name.ends_with("wqkv.weight");
      EXPECT_TRUE(is_fused || weight.equal(other.at(name))) << name;
    }
  }
}

TEST(FusedQkvTest, FusedModel_EqualsSeparateInValuesAndGradients) {
  for (const bool qk_norm : {false, true}) {
    const ModelDimensions d = fused_dimensions(qk_norm);
    std::map<std::string, torch::Tensor> gradients[2];
    torch::Tensor logits[2];
    for (const size_t i : {0, 1}) {
      Decoder model(i == 0 ? d : apart(d), torch::kFloat64);
      initialize(model, 3);
      logits[i] = model.forward(torch::arange(24).view({2, 12}));
      logits[i].square().sum().backward();
      for (const Parameter& parameter : model.parameters())
        gradients[i][parameter.name] = parameter.value.grad();
    }
    EXPECT_TRUE(torch::allclose(logits[0], logits[1], 1e-13, 1e-14));
    EXPECT_TRUE(torch::allclose(gradients[0].at(wqkv), fused_of(gradients[1], d.head_dim()), 1e-11, 1e-12));
    EXPECT_TRUE(torch::allclose(gradients[0].at("tok_embeddings.weight"),
                                gradients[1].at("tok_embeddings.weight"), 1e-11, 1e-12));
  }
}

}  // namespace
}  // namespace parity::reference
