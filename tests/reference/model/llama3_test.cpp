// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/llama3/llama3.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

int64_t parameter_count(const char* model) {
  int64_t count = 0;
  const Llama3 llama(dimensions_of(model, {}), torch::kFloat32);
  for (const Parameter& parameter : llama.parameters())
    count += parameter.value.numel();
  return count;
}

torch::Tensor tokens_for(const Llama3Dimensions& dimensions) {
  return torch::arange(2 * 12).remainder(dimensions.vocab_size).view({2, 12});
}

TEST(Llama3Test, DebugModelsHaveTheirPublishedSizes) {
  EXPECT_EQ(parameter_count("llama3.debug"), 6'163'712);
  EXPECT_EQ(parameter_count("llama3.debug_2000"), 6'139'136);
}

TEST(Llama3Test, ParametersCarryTorchtitansNamesInItsOrder) {
  std::vector<std::string> names;
  const Llama3 model(tiny_dimensions(), torch::kFloat32);
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

TEST(Llama3Test, ALaterTokenDoesNotChangeEarlierLogits) {
  Llama3 model(tiny_dimensions(), torch::kFloat64);
  initialize(model, 1);
  torch::Tensor tokens = tokens_for(model.dimensions());
  const torch::Tensor before = model.forward(tokens);
  tokens[0][7] = 3;
  const torch::Tensor after = model.forward(tokens);
  EXPECT_TRUE(torch::equal(before[0].narrow(0, 0, 7), after[0].narrow(0, 0, 7)));
  EXPECT_FALSE(torch::allclose(before[0].narrow(0, 7, 5), after[0].narrow(0, 7, 5)));
  EXPECT_TRUE(torch::equal(before[1], after[1]));
}

TEST(Llama3Test, GroupedHeadsEqualFullHeadsWithRepeatedKeys) {
  Llama3Dimensions grouped = tiny_dimensions();
  Llama3Dimensions full = grouped;
  full.n_kv_heads = full.n_heads;
  Llama3 small(grouped, torch::kFloat64), large(full, torch::kFloat64);
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

TEST(Llama3Test, ProbeSeesEveryBlockInOrder) {
  Llama3 model(tiny_dimensions(), torch::kFloat32);
  initialize(model, 1);
  std::vector<std::string> names;
  model.forward(tokens_for(model.dimensions()),
                [&](const std::string& name, const torch::Tensor&) { names.push_back(name); });
  EXPECT_THAT(names, testing::ElementsAre("tok_embeddings", "layers.0.attention", "layers.0.feed_forward",
                                          "layers.0", "layers.1.attention", "layers.1.feed_forward",
                                          "layers.1", "norm", "output"));
}

TEST(Llama3Test, ForwardIsHiddenAndOutput) {
  Llama3 model(tiny_dimensions(), torch::kFloat32);
  initialize(model, 1);
  const torch::Tensor tokens = tokens_for(model.dimensions());
  const torch::Tensor hidden = model.hidden(tokens);
  EXPECT_EQ(hidden.sizes(), (std::vector<int64_t>{2, 12, 16}));
  EXPECT_TRUE(torch::equal(model.output(hidden), model.forward(tokens)));
}

TEST(RmsNormTest, FollowsTheFormulaByHand) {
  const RmsNorm norm{torch::tensor({1.0, 2.0}, torch::kFloat64), 0.5};
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
  const FeedForward layer{weight(1, 0).view({1, 2}), weight(2, 3).view({2, 1}), weight(0, 1).view({1, 2})};
  const double hidden = 0.5 / (1 + std::exp(-0.5)) * 4;
  const ModuleHooks none;
  const torch::Tensor y = layer.forward(weight(0.5, 4).view({1, 1, 2}), Part(none, "feed_forward"));
  EXPECT_NEAR(y[0][0][0].item<double>(), 2 * hidden, 1e-14);
  EXPECT_NEAR(y[0][0][1].item<double>(), 3 * hidden, 1e-14);
}

}  // namespace
}  // namespace parity::reference
