// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/module_hooks.hpp"

#include <gmock/gmock.h>

#include "reference/model/decoder/decoder.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

TEST(ModuleHooksTest, WhatWasAddedFirstLiesOutermost) {
  ModuleHooks hooks;
  std::vector<std::string> calls;
  const auto note = [&](const char* word) {
    return [&calls, word](const torch::Tensor& x) {
      calls.emplace_back(word);
      return x + 1;
    };
  };
  for (const char* word : {"outer", "inner"}) {
    hooks.before("norm", note(word));
    hooks.after("norm", note(word));
  }
  const torch::Tensor zero = torch::zeros({1});
  EXPECT_EQ(hooks.leave("norm", hooks.enter("norm", zero)).item<float>(), 4);
  EXPECT_THAT(calls, ElementsAre("outer", "inner", "inner", "outer"));
  EXPECT_TRUE(hooks.enter("output", zero).is_same(zero)) << "no hook there";
}

/// The hooks see every part's input and output, in the order in which the model computes them.
TEST(ModuleHooksTest, AModelEntersAndLeavesItsPartsInOrder) {
  ModelDimensions dimensions = tiny_dimensions();
  dimensions.n_layers = 1;
  Decoder model(dimensions, torch::kFloat64);
  initialize(model, 1);
  const torch::Tensor tokens = torch::arange(8).view({1, 8});
  const torch::Tensor plain = model.forward(tokens);
  std::vector<std::string> calls;
  for (const char* part : {"tok_embeddings", "layers.0", "layers.0.attention_norm", "layers.0.attention",
                           "layers.0.attention.wq", "layers.0.attention.wk", "layers.0.attention.k",
                           "layers.0.attention.wv", "layers.0.attention.v", "layers.0.attention.wo",
                           "layers.0.ffn_norm", "layers.0.feed_forward", "layers.0.feed_forward.w1",
                           "layers.0.feed_forward.w3", "layers.0.feed_forward.w2", "norm", "output"}) {
    model.hooks().after(part, [&calls, part](const torch::Tensor& x) {
      calls.emplace_back(part);
      return x;
    });
  }
  EXPECT_TRUE(model.forward(tokens).equal(plain)) << "hooks that change nothing change no bit";
  EXPECT_THAT(calls,
              ElementsAre("tok_embeddings", "layers.0.attention_norm", "layers.0.attention.wq",
                          "layers.0.attention.wk", "layers.0.attention.k", "layers.0.attention.wv",
                          "layers.0.attention.v", "layers.0.attention.wo", "layers.0.attention",
                          "layers.0.ffn_norm", "layers.0.feed_forward.w1", "layers.0.feed_forward.w3",
                          "layers.0.feed_forward.w2", "layers.0.feed_forward", "layers.0", "norm", "output"));
}

TEST(ModuleHooksTest, SectionsOneAfterTheOtherAreTheModelBitForBit) {
  ModelDimensions dimensions = tiny_dimensions();
  dimensions.n_layers = 3;
  Decoder model(dimensions, torch::kFloat32);
  initialize(model, 1);
  const torch::Tensor tokens = torch::arange(8).view({2, 4});
  const torch::Tensor whole = model.hidden(tokens);
  int64_t entered = 0;
  model.hooks().before("tokens", [&entered](const torch::Tensor& x) {
    ++entered;
    return x;
  });
  torch::Tensor h;
  for (const Section& section : {Section{0, 1}, Section{1, 2}, Section{2, 3}}) {
    h = model.section(section, h, tokens);
    EXPECT_EQ(h.equal(whole), section.end == 3) << "only the last one has the norm";
  }
  EXPECT_EQ(entered, 3) << "also where the embedding is not";
}

TEST(ModuleHooksTest, AReplacedWeightIsUsed) {
  Decoder model(tiny_dimensions(), torch::kFloat64);
  initialize(model, 1);
  const torch::NoGradGuard no_grad;
  const torch::Tensor tokens = torch::arange(8).view({1, 8});
  const torch::Tensor plain = model.forward(tokens);
  model.visit_weights([](const std::string& name, torch::Tensor& weight) {
    if (name == "output.weight")
      weight = weight * 2;
  });
  EXPECT_TRUE(model.forward(tokens).equal(plain * 2));
  EXPECT_EQ(model.parameters().back().name, "output.weight");
  EXPECT_TRUE(model.output(torch::ones({1, tiny_dimensions().dim}, torch::kFloat64))
                  .allclose(2 * model.parameters().back().value.sum(1)));
}

}  // namespace
}  // namespace parity::reference
