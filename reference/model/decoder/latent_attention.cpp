// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/latent_attention.hpp"

#include "reference/model/decoder/rope.hpp"

namespace parity::reference {
namespace {

/// Returns [B, S, H width] as [B, S, H, width].
torch::Tensor heads_of(const torch::Tensor& y, int64_t width) {
  return y.view({y.size(0), y.size(1), -1, width});
}

}  // namespace

LatentAttention::LatentAttention(const ModelDimensions& dimensions, const torch::TensorOptions& options)
    : widths(dimensions.latent), scale(latent_scale(dimensions)) {
  const int64_t D = dimensions.dim, H = dimensions.n_heads;
  const auto weight = [&](int64_t rows, int64_t columns) { return torch::empty({rows, columns}, options); };
  const auto norm = [&](int64_t width) { return Norm(dimensions, width, options); };
  const int64_t query_width = H * (widths.nope_width + widths.rope_width);
  if (widths.q_rank == 0) {
    wq = weight(query_width, D);
  } else {
    wq_a = weight(widths.q_rank, D);
    q_norm = norm(widths.q_rank);
    wq_b = weight(query_width, widths.q_rank);
  }
  wkv_a = weight(widths.kv_rank + widths.rope_width, D);
  kv_norm = norm(widths.kv_rank);
  wkv_b = weight(H * (widths.nope_width + widths.value_width), widths.kv_rank);
  wo = weight(D, H * widths.value_width);
}

void LatentAttention::visit(const std::string& prefix, const WeightVisitor& visitor) {
  if (widths.q_rank == 0) {
    visitor(prefix + "wq.weight", wq);
  } else {
    visitor(prefix + "wq_a.weight", wq_a);
    q_norm.visit(prefix + "q_norm", visitor);
    visitor(prefix + "wq_b.weight", wq_b);
  }
  visitor(prefix + "wkv_a.weight", wkv_a);
  kv_norm.visit(prefix + "kv_norm", visitor);
  visitor(prefix + "wkv_b.weight", wkv_b);
  visitor(prefix + "wo.weight", wo);
}

torch::Tensor LatentAttention::queries(const torch::Tensor& x_BSD, const Part& part) const {
  if (widths.q_rank == 0)
    return linear(x_BSD, wq, part / "wq");
  return linear(q_norm.forward(linear(x_BSD, wq_a, part / "wq_a"), part / "q_norm"), wq_b, part / "wq_b");
}

torch::Tensor LatentAttention::forward(const torch::Tensor& x_BSD, const torch::Tensor& turns,
                                       const AttentionMasks& masks, const Part& part) const {
  const int64_t n = widths.nope_width, r = widths.rope_width, e = widths.value_width, R = widths.kv_rank;
  const torch::Tensor x = part.enter(x_BSD);
  // Parts of heads keep their strides. A product of complex numbers that are not neighbours in memory rounds
  // differently, and torchtitan's are not.
  const auto turned = [&](const torch::Tensor& y) {
    return turns.defined() ? apply_rope(y, turns, part.operators()) : y;
  };
  const torch::Tensor own_q_BSHd = heads_of(queries(x, part), n + r);
  const torch::Tensor q_BSHd = at::cat({own_q_BSHd.narrow(3, 0, n), turned(own_q_BSHd.narrow(3, n, r))}, 3);
  const torch::Tensor latent = linear(x, wkv_a, part / "wkv_a");  // [B, S, R + r]
  const torch::Tensor shared_k_BS1r = turned(latent.narrow(2, R, r).unsqueeze(2));
  const torch::Tensor kv_BSH = heads_of(
      linear(kv_norm.forward(latent.narrow(2, 0, R), part / "kv_norm"), wkv_b, part / "wkv_b"), n + e);
  const torch::Tensor k_BSHd =
      (part / "k")
          .leave(at::cat({kv_BSH.narrow(3, 0, n), shared_k_BS1r.expand({-1, -1, kv_BSH.size(2), -1})}, 3));
  const torch::Tensor v_BSHe = (part / "v").leave(kv_BSH.narrow(3, n, e));
  count_logits(logits, q_BSHd.transpose(1, 2), k_BSHd.transpose(1, 2), masks, {scale});
  const torch::Tensor out_BSHe =
      attend(q_BSHd.transpose(1, 2), k_BSHd.transpose(1, 2), v_BSHe.transpose(1, 2), masks, {scale})
          .transpose(1, 2);
  return part.leave(row_parallel_linear(out_BSHe.reshape({x.size(0), x.size(1), -1}), wo, part / "wo"));
}

}  // namespace parity::reference
