// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/blocks.hpp"

#include "reference/model/decoder/rope.hpp"

namespace parity::reference {
namespace {

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part) {
  return part.leave(at::linear(part.enter(x), weight));
}

}  // namespace

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

torch::Tensor FeedForward::forward(const torch::Tensor& x_BSD, const Part& part) const {
  const torch::Tensor x = part.enter(x_BSD);
  const torch::Tensor gate = at::silu(linear(x, w1, part / "w1"));
  const torch::Tensor up = linear(x, w3, part / "w3");
  return part.leave(linear(gate * up, w2, part / "w2"));
}

Block::Block(const ModelDimensions& dimensions, const torch::TensorOptions& options) {
  const auto weight = [&](int64_t rows, int64_t columns) { return torch::empty({rows, columns}, options); };
  const int64_t D = dimensions.dim;
  const int64_t F = dimensions.ffn_hidden;
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
  feed_forward = {weight(F, D), weight(D, F), weight(F, D)};
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
  visitor(prefix + "feed_forward.w1.weight", feed_forward.w1);
  visitor(prefix + "feed_forward.w2.weight", feed_forward.w2);
  visitor(prefix + "feed_forward.w3.weight", feed_forward.w3);
  visitor(prefix + "attention_norm.weight", attention_norm.weight);
  visitor(prefix + "ffn_norm.weight", ffn_norm.weight);
}

}  // namespace parity::reference
