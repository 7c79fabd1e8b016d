// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/attention.hpp"

#include "reference/model/decoder/rope.hpp"

namespace parity::reference {

Attention::Attention(const ModelDimensions& dimensions, const torch::TensorOptions& options)
    : head_dim(dimensions.head_dim()), sharing(dimensions.n_heads / dimensions.n_kv_heads) {
  const int64_t D = dimensions.dim, H = dimensions.n_heads, width = H * head_dim,
                kv_width = dimensions.n_kv_heads * head_dim;
  const bool has_biases = dimensions.biases >= Biases::qkv;
  if (dimensions.fused_qkv) {
    wqkv = torch::empty({width + 2 * kv_width, D}, options);
  } else {
    wq = Linear(dimensions, LoraTarget::wq, width, D, has_biases, options);
    wk = Linear(dimensions, LoraTarget::wk, kv_width, D, has_biases, options);
    wv = Linear(dimensions, LoraTarget::wv, kv_width, D, has_biases, options);
  }
  wo = Linear(dimensions, LoraTarget::wo, D, width, dimensions.biases >= Biases::attention, options);
  if (dimensions.gate != AttentionGate::none)
    wg = torch::empty({dimensions.gate == AttentionGate::heads ? H : width, D}, options);
  if (dimensions.attention_sinks)
    sinks = torch::empty({H}, options);
  if (dimensions.qk_norm)
    for (Norm* norm : {&q_norm, &k_norm})
      *norm = Norm(dimensions, head_dim, options);
  scores.softcap = dimensions.attention_softcap;
}

void Attention::visit(const std::string& prefix, const WeightVisitor& visitor) {
  if (sinks.defined())
    visitor(prefix + "sinks", sinks);
  if (wqkv.defined()) {
    visitor(prefix + "wqkv.weight", wqkv);
  } else {
    wq.visit(prefix + "wq", visitor);
    wk.visit(prefix + "wk", visitor);
    wv.visit(prefix + "wv", visitor);
  }
  wo.visit(prefix + "wo", visitor);
  if (wg.defined())
    visitor(prefix + "wg.weight", wg);
  if (!q_norm.weight.defined())
    return;
  q_norm.visit(prefix + "q_norm", visitor);
  k_norm.visit(prefix + "k_norm", visitor);
}

torch::Tensor Attention::gated(const torch::Tensor& out_BSHd, const torch::Tensor& x,
                               const Part& part) const {
  if (!wg.defined())
    return out_BSHd;
  const torch::Tensor gate = linear(x, wg, part / "wg").sigmoid();
  return out_BSHd * gate.view({x.size(0), x.size(1), out_BSHd.size(2), -1});
}

torch::Tensor Attention::forward(const torch::Tensor& x_BSD, const torch::Tensor& turns,
                                 const AttentionMasks& masks, const Part& part) const {
  const torch::Tensor x = part.enter(x_BSD);
  const std::array<torch::Tensor, 3> together =
      wqkv.defined() ? split_rows(linear(x, wqkv, part / "wqkv"), 2, head_dim, sharing)
                     : std::array<torch::Tensor, 3>();
  const auto heads = [&](size_t which, const Linear& layer, const char* name) {
    const torch::Tensor y = wqkv.defined() ? together.at(which) : layer.forward(x, part / name);
    return y.view({y.size(0), y.size(1), -1, head_dim});
  };
  const auto turned = [&](const torch::Tensor& y) {
    return turns.defined() ? apply_rope(y, turns, part.operators()) : y;
  };
  const auto normed = [&](const Norm& norm, const torch::Tensor& y, const char* name) {
    return norm.weight.defined() ? norm.forward(y, part / name) : y;
  };
  const torch::Tensor q_BSHd = turned(normed(q_norm, heads(0, wq, "wq"), "q_norm"));
  const torch::Tensor k_BSKd = (part / "k").leave(turned(normed(k_norm, heads(1, wk, "wk"), "k_norm")));
  const torch::Tensor v_BSKd = (part / "v").leave(heads(2, wv, "wv"));
  ScoreRule rule = scores;
  rule.sinks_H = sinks;
  count_logits(logits, q_BSHd.transpose(1, 2), k_BSKd.transpose(1, 2), masks, rule);
  const torch::Tensor out_BSHd =
      attend(q_BSHd.transpose(1, 2), k_BSKd.transpose(1, 2), v_BSKd.transpose(1, 2), masks, rule)
          .transpose(1, 2);
  return part.leave(wo.forward(gated(out_BSHd, x, part).reshape({x.size(0), x.size(1), -1}), part / "wo"));
}

torch::Tensor fused_rows(const torch::Tensor& q_HdD, const torch::Tensor& k_KdD, const torch::Tensor& v_KdD,
                         int64_t head_dim) {
  const int64_t key_heads = k_KdD.size(0) / head_dim;
  const auto by_key_head = [&](const torch::Tensor& x) { return x.unflatten(0, {key_heads, -1}); };
  return at::cat({by_key_head(q_HdD), by_key_head(k_KdD), by_key_head(v_KdD)}, 1).flatten(0, 1);
}

std::array<torch::Tensor, 3> split_rows(const torch::Tensor& qkv, int64_t dim, int64_t head_dim,
                                        int64_t sharing) {
  const torch::Tensor by_key_head = qkv.unflatten(dim, {-1, (sharing + 2) * head_dim});
  const auto rows = [&](int64_t first, int64_t heads) {
    return by_key_head.narrow(dim + 1, first * head_dim, heads * head_dim).flatten(dim, dim + 1).contiguous();
  };
  return {rows(0, sharing), rows(sharing, 1), rows(sharing + 1, 1)};
}

}  // namespace parity::reference
