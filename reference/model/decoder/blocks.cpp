// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/blocks.hpp"

#include "reference/model/decoder/rope.hpp"

namespace parity::reference {

torch::Tensor RmsNorm::forward(const torch::Tensor& x_BSD, const Part& part) const {
  return part.leave(at::rms_norm(part.enter(x_BSD), weight.sizes(), weight, eps));
}

torch::Tensor Attention::forward(const torch::Tensor& x_BSD, const torch::Tensor& turns,
                                 const AttentionMasks& masks, const Part& part) const {
  const torch::Tensor x = part.enter(x_BSD);
  const auto heads = [&](const torch::Tensor& weight, const char* name) {
    const torch::Tensor y = linear(x, weight, part / name);
    return y.view({y.size(0), y.size(1), -1, head_dim});
  };
  const auto turned = [&](const torch::Tensor& y) { return turns.defined() ? apply_rope(y, turns) : y; };
  const auto normed = [&](const RmsNorm& norm, const torch::Tensor& y, const char* name) {
    return norm.weight.defined() ? norm.forward(y, part / name) : y;
  };
  const torch::Tensor q_BSHd = turned(normed(q_norm, heads(wq, "wq"), "q_norm"));
  const torch::Tensor k_BSKd = (part / "k").leave(turned(normed(k_norm, heads(wk, "wk"), "k_norm")));
  const torch::Tensor v_BSKd = (part / "v").leave(heads(wv, "wv"));
  const torch::Tensor out_BSHd =
      attend(q_BSHd.transpose(1, 2), k_BSKd.transpose(1, 2), v_BSKd.transpose(1, 2), masks).transpose(1, 2);
  return part.leave(linear(out_BSHd.reshape({x.size(0), x.size(1), -1}), wo, part / "wo"));
}

Block::Block(const ModelDimensions& dimensions, int64_t index, const torch::TensorOptions& options) {
  const auto weight = [&](int64_t rows, int64_t columns) { return torch::empty({rows, columns}, options); };
  const int64_t D = dimensions.dim;
  const int64_t d = dimensions.head_dim(), width = dimensions.n_heads * d,
                kv_width = dimensions.n_kv_heads * d;
  attention = {.wq = weight(width, D),
               .wk = weight(kv_width, D),
               .wv = weight(kv_width, D),
               .wo = weight(D, width),
               .q_norm = {},
               .k_norm = {},
               .head_dim = d};
  if (dimensions.qk_norm)
    for (RmsNorm* norm : {&attention.q_norm, &attention.k_norm})
      *norm = {torch::empty({d}, options), dimensions.norm_eps};
  if (dimensions.moe.is_in(index))
    moe.emplace(D, index, dimensions.moe, options);
  else
    feed_forward = {D, dimensions.ffn_hidden, options};
  attention_norm = {torch::empty({D}, options), dimensions.norm_eps};
  ffn_norm = {torch::empty({D}, options), dimensions.norm_eps};
}

void Block::visit(const std::string& prefix, const WeightVisitor& visitor) {
  visitor(prefix + "attention.wq.weight", attention.wq);
  visitor(prefix + "attention.wk.weight", attention.wk);
  visitor(prefix + "attention.wv.weight", attention.wv);
  visitor(prefix + "attention.wo.weight", attention.wo);
  if (attention.q_norm.weight.defined()) {
    visitor(prefix + "attention.q_norm.weight", attention.q_norm.weight);
    visitor(prefix + "attention.k_norm.weight", attention.k_norm.weight);
  }
  if (moe)
    moe->visit(prefix + "moe.", visitor);
  else
    feed_forward.visit(prefix + "feed_forward.", visitor);
  visitor(prefix + "attention_norm.weight", attention_norm.weight);
  visitor(prefix + "ffn_norm.weight", ffn_norm.weight);
}

}  // namespace parity::reference
