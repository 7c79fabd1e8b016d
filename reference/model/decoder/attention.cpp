// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/attention.hpp"

#include "reference/model/decoder/rope.hpp"

namespace parity::reference {

Attention::Attention(const ModelDimensions& dimensions, const torch::TensorOptions& options)
    : head_dim(dimensions.head_dim()), sharing(dimensions.n_heads / dimensions.n_kv_heads) {
  const int64_t D = dimensions.dim, width = dimensions.n_heads * head_dim,
                kv_width = dimensions.n_kv_heads * head_dim;
  if (dimensions.fused_qkv) {
    wqkv = torch::empty({width + 2 * kv_width, D}, options);
  } else {
    wq = torch::empty({width, D}, options);
    wk = torch::empty({kv_width, D}, options);
    wv = torch::empty({kv_width, D}, options);
  }
  wo = torch::empty({D, width}, options);
  if (dimensions.qk_norm)
    for (RmsNorm* norm : {&q_norm, &k_norm})
      *norm = {torch::empty({head_dim}, options), dimensions.norm_eps};
}

void Attention::visit(const std::string& prefix, const WeightVisitor& visitor) {
  if (wqkv.defined()) {
    visitor(prefix + "wqkv.weight", wqkv);
  } else {
    visitor(prefix + "wq.weight", wq);
    visitor(prefix + "wk.weight", wk);
    visitor(prefix + "wv.weight", wv);
  }
  visitor(prefix + "wo.weight", wo);
  if (q_norm.weight.defined()) {
    visitor(prefix + "q_norm.weight", q_norm.weight);
    visitor(prefix + "k_norm.weight", k_norm.weight);
  }
}

torch::Tensor Attention::forward(const torch::Tensor& x_BSD, const torch::Tensor& turns,
                                 const AttentionMasks& masks, const Part& part) const {
  const torch::Tensor x = part.enter(x_BSD);
  const std::array<torch::Tensor, 3> together =
      wqkv.defined() ? split_rows(linear(x, wqkv, part / "wqkv"), 2, head_dim, sharing)
                     : std::array<torch::Tensor, 3>();
  const auto heads = [&](size_t which, const torch::Tensor& weight, const char* name) {
    const torch::Tensor y = wqkv.defined() ? together.at(which) : linear(x, weight, part / name);
    return y.view({y.size(0), y.size(1), -1, head_dim});
  };
  const auto turned = [&](const torch::Tensor& y) {
    return turns.defined() ? apply_rope(y, turns, part.operators()) : y;
  };
  const auto normed = [&](const RmsNorm& norm, const torch::Tensor& y, const char* name) {
    return norm.weight.defined() ? norm.forward(y, part / name) : y;
  };
  const torch::Tensor q_BSHd = turned(normed(q_norm, heads(0, wq, "wq"), "q_norm"));
  const torch::Tensor k_BSKd = (part / "k").leave(turned(normed(k_norm, heads(1, wk, "wk"), "k_norm")));
  const torch::Tensor v_BSKd = (part / "v").leave(heads(2, wv, "wv"));
  const torch::Tensor out_BSHd =
      attend(q_BSHd.transpose(1, 2), k_BSKd.transpose(1, 2), v_BSKd.transpose(1, 2), masks).transpose(1, 2);
  return part.leave(row_parallel_linear(out_BSHd.reshape({x.size(0), x.size(1), -1}), wo, part / "wo"));
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
