// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reference/model/llama3/llama3.hpp"
#include "reference/model/trunc_normal.hpp"

namespace parity::reference {
namespace {

/// Draws with `fill` in float32 and stores in the weight's own dtype.
template <class Fill>
void draw(torch::Tensor& weight, Fill fill) {
  if (weight.scalar_type() == torch::kFloat32)
    return fill(weight);
  torch::Tensor narrow = torch::empty(weight.sizes(), torch::kFloat32);
  fill(narrow);
  weight.copy_(narrow);
}

void draw_trunc_normal(torch::Tensor& weight, double std) {
  draw(weight, [std](torch::Tensor& x) { trunc_normal_(x, 0.0, std); });
}

void initialize_block(Block& block, int64_t layer) {
  const double depth_std = 0.02 / std::sqrt(static_cast<double>(2 * (layer + 1)));
  block.attention_norm.weight.fill_(1);
  block.ffn_norm.weight.fill_(1);
  for (torch::Tensor* weight : {&block.attention.wq, &block.attention.wk, &block.attention.wv})
    draw_trunc_normal(*weight, 0.02);
  draw_trunc_normal(block.attention.wo, depth_std);
  draw_trunc_normal(block.feed_forward.w1, 0.02);
  draw_trunc_normal(block.feed_forward.w2, depth_std);
  draw_trunc_normal(block.feed_forward.w3, depth_std);
}

}  // namespace

void initialize(Llama3& model, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  at::manual_seed(seed);
  draw(model.tok_embeddings_, [](torch::Tensor& x) { x.normal_(); });
  for (size_t i = 0; i < model.layers_.size(); ++i)
    initialize_block(model.layers_[i], static_cast<int64_t>(i));
  model.norm_.weight.fill_(1);
  const double std = std::pow(static_cast<double>(model.dimensions_.dim), -0.5);
  draw(model.output_, [std](torch::Tensor& x) { trunc_normal_(x, 0.0, std, -3 * std, 3 * std); });
  for (const Parameter& parameter : model.parameters_)
    torch::Tensor(parameter.value).requires_grad_(true);
}

}  // namespace parity::reference
