// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/decoder.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/model/model_facts.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

torch::Tensor tokens_for(const ModelDimensions& dimensions) {
  return torch::arange(2 * 12).remainder(dimensions.vocab_size).view({2, 12});
}

TEST(DecoderTest, DebugModelsHaveTheirPublishedSizes) {
  EXPECT_EQ(parameter_count("llama3.debug"), 6'163'712);
  EXPECT_EQ(parameter_count("llama3.debug_2000"), 6'139'136);
  EXPECT_EQ(parameter_count("qwen3.debug"), 31'987'968);
}

// The safetensors headers on Hugging Face.
TEST(DecoderTest, RealModelsHaveTheirPublishedSizes) {
  EXPECT_EQ(parameter_count("llama3.8b"), 8'030'261'248);
  EXPECT_EQ(parameter_count("llama3.70b"), 70'553'706'496);
  EXPECT_EQ(parameter_count("qwen3.0.6b"), 596'049'920);
  EXPECT_EQ(parameter_count("qwen3.1.7b"), 1'720'574'976);
  EXPECT_EQ(parameter_count("qwen3.4b"), 4'022'468'096);
  EXPECT_EQ(parameter_count("qwen3.8b"), 8'190'735'360);
  EXPECT_EQ(parameter_count("qwen3.14b"), 14'768'307'200);
  EXPECT_EQ(parameter_count("qwen3.32b"), 32'762'123'264);
}

/// tiny with the parts that Qwen3 has and Llama 3 lacks; heads wider than dim / n_heads.
ModelDimensions tiny_qwen3() {
  ModelDimensions d = tiny_dimensions();
  d.head_width = 6;
  d.rope = Rope::rotate_half;
  d.rope_scaling = RopeScaling::none;
  d.qk_norm = d.tied = true;
  d.initialization = Initialization::normal;
  return d;
}

TEST(DecoderTest, Qwen3HasNormsOfHeadsAndNoOutputProjection) {
  std::map<std::string, std::vector<int64_t>> shapes;
  const Decoder model(tiny_qwen3(), torch::kFloat32);
  for (const Parameter& parameter : model.parameters())
    shapes[parameter.name] = parameter.value.sizes().vec();
  EXPECT_EQ(shapes.size(), 2U + 2 * 11);
  EXPECT_EQ(shapes.count("output.weight"), 0U);
  EXPECT_EQ(shapes.at("layers.1.attention.q_norm.weight"), std::vector<int64_t>({6}));
  EXPECT_EQ(shapes.at("layers.1.attention.wq.weight"), std::vector<int64_t>({24, 16}));
  EXPECT_EQ(shapes.at("layers.1.attention.wk.weight"), std::vector<int64_t>({12, 16}));
  EXPECT_EQ(shapes.at("layers.1.attention.wo.weight"), std::vector<int64_t>({16, 24}));
}

TEST(DecoderTest, ATiedEmbeddingIsTheOutputProjection) {
  Decoder model(tiny_qwen3(), torch::kFloat64);
  initialize(model, 1);
  const torch::Tensor hidden = torch::randn({2, 16}, torch::kFloat64);
  EXPECT_TRUE(torch::equal(model.output(hidden), at::linear(hidden, model.parameters().front().value)));
}

TEST(DecoderTest, HeadNorms_MakeQueryScaleIrrelevant) {
  for (const bool qk_norm : {true, false}) {
    ModelDimensions d = tiny_qwen3();
    d.qk_norm = qk_norm;
    d.norm_eps = 0;
    Decoder model(d, torch::kFloat64);
    initialize(model, 1);
    const torch::NoGradGuard no_grad;
    const torch::Tensor before = model.forward(tokens_for(d));
    model.visit_weights([](const std::string& name, torch::Tensor& weight) {
      if (name.ends_with("wq.weight"))
        weight.mul_(100);
    });
    EXPECT_EQ(torch::allclose(before, model.forward(tokens_for(d)), 1e-10, 1e-12), qk_norm);
  }
}

TEST(DecoderTest, RotateHalfOverPermutedRowsIsComplexRoPE) {
  for (const bool permuted : {true, false}) {
    ModelDimensions pairs = tiny_dimensions(), halves = pairs;
    halves.rope = Rope::rotate_half;
    halves.rope_weights = permuted ? RopeWeights::permuted : RopeWeights::own;
    Decoder one(pairs, torch::kFloat64), other(halves, torch::kFloat64);
    initialize(one, 1);
    initialize(other, 1);
    // Small weights make attention nearly uniform: larger ones show which pairs were rotated.
    for (Decoder* model : {&one, &other})
      model->visit_weights([](const std::string& name, torch::Tensor& weight) {
        if (name.ends_with("wq.weight") || name.ends_with("wk.weight"))
          weight = weight.detach() * 50;
      });
    EXPECT_EQ(torch::allclose(one.forward(tokens_for(pairs)), other.forward(tokens_for(pairs)), 1e-12, 1e-13),
              permuted);
  }
}

TEST(DecoderTest, ParametersCarryTorchtitansNamesInItsOrder) {
  std::vector<std::string> names;
  const Decoder model(tiny_dimensions(), torch::kFloat32);
  for (const Parameter& parameter : model.parameters())
    names.push_back(parameter.name);
  ASSERT_EQ(names.size(), 3U + 2 * 9);
  names.erase(names.begin() + 10, names.end() - 2);
  EXPECT_THAT(names, testing::ElementsAre("tok_embeddings.weight", "layers.0.attention.wq.weight",
                                          "layers.0.attention.wk.weight", "layers.0.attention.wv.weight",
                                          "layers.0.attention.wo.weight", "layers.0.feed_forward.w1.weight",
                                          "layers.0.feed_forward.w2.weight",
                                          "layers.0.feed_forward.w3.weight", "layers.0.attention_norm.weight",
                                          "layers.0.ffn_norm.weight", "norm.weight", "output.weight"));
}

TEST(DecoderTest, ALaterTokenDoesNotChangeEarlierLogits) {
  Decoder model(tiny_dimensions(), torch::kFloat64);
  initialize(model, 1);
  torch::Tensor tokens = tokens_for(model.dimensions());
  const torch::Tensor before = model.forward(tokens);
  tokens[0][7] = 3;
  const torch::Tensor after = model.forward(tokens);
  EXPECT_TRUE(torch::equal(before[0].narrow(0, 0, 7), after[0].narrow(0, 0, 7)));
  EXPECT_FALSE(torch::allclose(before[0].narrow(0, 7, 5), after[0].narrow(0, 7, 5)));
  EXPECT_TRUE(torch::equal(before[1], after[1]));
}

TEST(DecoderTest, GroupedHeadsEqualFullHeadsWithRepeatedKeys) {
  ModelDimensions grouped = tiny_dimensions();
  ModelDimensions full = grouped;
  full.n_kv_heads = full.n_heads;
  Decoder small(grouped, torch::kFloat64), large(full, torch::kFloat64);
  initialize(small, 1);
  initialize(large, 2);
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < small.parameters().size(); ++i) {
    const torch::Tensor from = small.parameters()[i].value;
    torch::Tensor to = large.parameters()[i].value;
    // A key head's rows serve two neighbouring query heads.
    to.copy_(from.sizes() == to.sizes() ? from
                                        : from.view({2, 4, 16}).repeat_interleave(2, 0).reshape(to.sizes()));
  }
  const torch::Tensor tokens = tokens_for(grouped);
  EXPECT_TRUE(torch::allclose(small.forward(tokens), large.forward(tokens), 1e-12, 1e-14));
}

TEST(DecoderTest, ProbeSeesEveryBlockInOrder) {
  Decoder model(tiny_dimensions(), torch::kFloat32);
  initialize(model, 1);
  std::vector<std::string> names;
  model.forward(tokens_for(model.dimensions()),
                [&](const std::string& name, const torch::Tensor&) { names.push_back(name); });
  EXPECT_THAT(names, testing::ElementsAre("tok_embeddings", "layers.0.attention", "layers.0.feed_forward",
                                          "layers.0", "layers.1.attention", "layers.1.feed_forward",
                                          "layers.1", "norm", "output"));
}

TEST(DecoderTest, ForwardIsHiddenAndOutput) {
  Decoder model(tiny_dimensions(), torch::kFloat32);
  initialize(model, 1);
  const torch::Tensor tokens = tokens_for(model.dimensions());
  const torch::Tensor hidden = model.hidden(tokens);
  EXPECT_EQ(hidden.sizes(), (std::vector<int64_t>{2, 12, 16}));
  EXPECT_TRUE(torch::equal(model.output(hidden), model.forward(tokens)));
}

TEST(NormTest, FollowsTheFormulaByHand) {
  const Norm norm{torch::tensor({1.0, 2.0}, torch::kFloat64), 0.5};
  const ModuleHooks none;
  const torch::Tensor y =
      norm.forward(torch::tensor({3.0, 4.0, 0.0, 0.0}, torch::kFloat64).view({2, 2}), Part(none, "norm"));
  const double rms = std::sqrt(12.5 + 0.5);
  EXPECT_TRUE(
      torch::allclose(y, torch::tensor({3 / rms, 8 / rms, 0.0, 0.0}, torch::kFloat64).view({2, 2}), 1e-15));
}

TEST(FeedForwardTest, FollowsTheFormulaByHand) {
  const auto weight = [](double a, double b) { return torch::tensor({a, b}, torch::kFloat64); };
  // One hidden unit: w1 = (1, 0), w3 = (0, 1), w2 = (2, 3)^T, x = (0.5, 4).
  FeedForward layer(2, 1, torch::kFloat64);
  layer.w1.weight = weight(1, 0).view({1, 2});
  layer.w2.weight = weight(2, 3).view({2, 1});
  layer.w3.weight = weight(0, 1).view({1, 2});
  const double hidden = 0.5 / (1 + std::exp(-0.5)) * 4;
  const ModuleHooks none;
  const torch::Tensor y = layer.forward(weight(0.5, 4).view({1, 1, 2}), Part(none, "feed_forward"));
  EXPECT_NEAR(y[0][0][0].item<double>(), 2 * hidden, 1e-14);
  EXPECT_NEAR(y[0][0][1].item<double>(), 3 * hidden, 1e-14);
}

}  // namespace
}  // namespace parity::reference
