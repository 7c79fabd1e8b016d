// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <vector>

#include "reference/model/decoder/decoder.hpp"
#include "reference/model/decoder/rope.hpp"
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

void draw_normal(torch::Tensor& weight, double std) {
  draw(weight, [std](torch::Tensor& x) { x.normal_(0.0, std); });
}

/// A matrix of a block, and which schemes draw it narrower than others.
struct Matrix {
  torch::Tensor* weight;
  bool narrows_with_depth = false;  ///< depth_scaled
  bool ends_branch = false;         ///< normal, in a model with experts; gpt2
};

/// Returns the matrices of a block in torchtitan's order of drawing.
std::vector<Matrix> matrices_of(Block& block, Initialization scheme) {
  std::vector<Matrix> all;
  const auto add_attention = [&all](const std::string& name, torch::Tensor& weight) {
    if (weight.dim() == 2 && !is_adapter(name))
      all.push_back({&weight, name == "wo.weight", name == "wo.weight"});
  };
  std::visit([&](auto& attention) { attention.visit("", add_attention); }, block.attention);
  const auto add = [&all, scheme](FeedForward& feed_forward) {
    all.insert(all.end(),
               {{&feed_forward.w1.weight}, {&feed_forward.w2.weight, true, scheme == Initialization::gpt2}});
    if (feed_forward.w3.weight.defined())
      all.push_back({&feed_forward.w3.weight, true});
  };
  if (!block.moe) {
    add(block.feed_forward);
    return all;
  }
  Moe& moe = *block.moe;
  all.insert(all.end(),
             {{&moe.experts.w1}, {&moe.experts.w2, true, true}, {&moe.experts.w3, true}, {&moe.gate, true}});
  if (moe.shared)
    add(*moe.shared);
  return all;
}

void draw_block(Block& block, int64_t layer, const ModelDimensions& d) {
  const auto narrow = [](int64_t layers) { return 0.02 / std::sqrt(static_cast<double>(2 * layers)); };
  const bool narrows_ends = d.moe.experts > 0 || d.initialization == Initialization::gpt2;
  for (const Matrix& matrix : matrices_of(block, d.initialization)) {
    if (d.initialization == Initialization::depth_scaled)
      draw_trunc_normal(*matrix.weight, matrix.narrows_with_depth ? narrow(layer + 1) : 0.02);
    else
      draw_normal(*matrix.weight, matrix.ends_branch && narrows_ends ? narrow(d.n_layers) : 0.02);
  }
}

/// Draws a block's weights. If q, k and v share one weight, they are drawn separately and then joined.
void draw_unfused(Block& block, int64_t layer, const ModelDimensions& d) {
  auto* const attention = std::get_if<Attention>(&block.attention);
  const torch::Tensor fused = attention != nullptr ? std::exchange(attention->wqkv, {}) : torch::Tensor();
  if (fused.defined()) {
    const auto [q, k, v] = split_rows(fused, 0, attention->head_dim, attention->sharing);
    attention->wq.weight = q, attention->wk.weight = k, attention->wv.weight = v;
  }
  draw_block(block, layer, d);
  if (attention != nullptr && d.rope_weights == RopeWeights::permuted)
    for (torch::Tensor* weight : {&attention->wq.weight, &attention->wk.weight})
      weight->copy_(permuted_for_rotate_half(*weight, d.head_dim()));
  if (fused.defined()) {
    fused.copy_(
        fused_rows(attention->wq.weight, attention->wk.weight, attention->wv.weight, attention->head_dim));
    attention->wqkv = fused;
    for (torch::Tensor* weight : {&attention->wq.weight, &attention->wk.weight, &attention->wv.weight})
      weight->reset();
  }
}

/// Fills what is not drawn: norms with 1, biases, sinks and the second matrices of adapters with 0.
void fill_constants(const std::string& name, torch::Tensor& weight) {
  if (name.ends_with("norm.weight"))
    weight.fill_(1);
  else if (name.ends_with(".bias") || name.ends_with(".sinks") || name.ends_with(".lora_b.weight"))
    weight.zero_();
}

/// Draws the first matrix of an adapter uniformly within 1 / sqrt(columns).
void draw_adapter(const std::string& name, torch::Tensor& weight) {
  if (!name.ends_with(".lora_a.weight"))
    return;
  const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  draw(weight, [bound](torch::Tensor& x) { x.uniform_(-bound, bound); });
}

/// Draws what a gated delta net has besides matrices, as Qwen3-Next: the taps of convolutions uniform within
/// 1 / sqrt(taps), exp(a_log) uniform in (0, 16], dt_bias 1.
void draw_delta_net(const std::string& name, torch::Tensor& weight) {
  if (name.ends_with("_conv.weight")) {
    const double bound = 1 / std::sqrt(static_cast<double>(weight.size(2)));
    draw(weight, [bound](torch::Tensor& x) { x.uniform_(-bound, bound); });
  } else if (name.ends_with(".a_log")) {
    draw(weight, [](torch::Tensor& x) { x.uniform_(0, 16).neg_().add_(16).log_(); });
  } else if (name.ends_with(".dt_bias")) {
    weight.fill_(1);
  }
}

}  // namespace

void initialize(Decoder& model, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const ModelDimensions& d = model.dimensions_;
  const bool depth_scaled = d.initialization == Initialization::depth_scaled;
  at::manual_seed(seed);
  if (depth_scaled || !d.tied)
    draw_normal(model.tok_embeddings_, depth_scaled ? 1 : 0.02);
  if (model.pos_embeddings_.defined())
    draw_normal(model.pos_embeddings_, 0.02);
  for (size_t i = 0; i < model.layers_.size(); ++i)
    draw_unfused(model.layers_[i], static_cast<int64_t>(i), d);
  torch::Tensor& output = d.tied ? model.tok_embeddings_ : model.output_;
  const double std = std::pow(static_cast<double>(d.dim), -0.5);
  if (depth_scaled)
    draw(output, [std](torch::Tensor& x) { trunc_normal_(x, 0.0, std, -3 * std, 3 * std); });
  else
    draw_normal(output, 0.02);
  for (MultiTokenModule& module : model.mtp_) {
    draw_unfused(module.block, d.n_layers, d);
    draw_normal(module.proj, 0.02);
  }
  model.visit_weights(fill_constants);
  model.visit_weights(draw_delta_net);
  model.visit_weights(draw_adapter);
  for (const Parameter& parameter : model.parameters_)
    torch::Tensor(parameter.value).requires_grad_(true);
}

}  // namespace parity::reference
