// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/gated_delta_net.hpp"

#include <cmath>

#include "reference/model/decoder/delta_rule.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

constexpr int64_t conv_taps = 4;
constexpr double length_eps = 1e-6;  // of Qwen3-Next and flash-linear-attention

/// Returns x, [..., d], divided by its length.
torch::Tensor of_length_one(const torch::Tensor& x) {
  return x * (x.square().sum(-1, /*keepdim=*/true) + length_eps).rsqrt();
}

/// Returns x, [B, S, ...], moved `by` tokens on; what comes from before the row, or from another document, is
/// 0.
torch::Tensor moved_on(const torch::Tensor& x_BSC, int64_t by, const torch::Tensor& documents_BS) {
  const int64_t S = x_BSC.size(1);
  torch::Tensor moved = at::constant_pad_nd(x_BSC, {0, 0, by, 0}).narrow(1, 0, S);
  if (!documents_BS.defined())
    return moved;
  const torch::Tensor before = at::constant_pad_nd(documents_BS, {by, 0}, -1).narrow(1, 0, S);
  return moved.masked_fill(before.ne(documents_BS).unsqueeze(2), 0);
}

torch::Tensor delta_rule(const DeltaInput& input, const DeltaDimensions& rule) {
  return rule.form == DeltaForm::recurrent
             ? recurrent_delta_rule(input)
             : chunked_delta_rule(input, rule.chunk, rule.form != DeltaForm::forgetful);
}

}  // namespace

torch::Tensor short_convolution(const torch::Tensor& x_BSC, const torch::Tensor& taps_C1T,
                                const torch::Tensor& documents_BS, const ModuleHooks::Operators& operators) {
  const int64_t taps = taps_C1T.size(2);
  torch::Tensor y_BSC = x_BSC * taps_C1T.select(2, taps - 1).squeeze(1);
  for (int64_t by = 1; by < taps; ++by)
    y_BSC = y_BSC + moved_on(x_BSC, by, documents_BS) * taps_C1T.select(2, taps - 1 - by).squeeze(1);
  return operators.silu(y_BSC);
}

GatedDeltaNet::GatedDeltaNet(const ModelDimensions& dimensions, const torch::TensorOptions& options)
    : norm(torch::empty({dimensions.head_dim()}, options), dimensions.norm_eps),
      head_dim(dimensions.head_dim()),
      rule(dimensions.delta) {
  const int64_t D = dimensions.dim, H = dimensions.n_heads, width = H * head_dim,
                key_width = dimensions.n_kv_heads * head_dim;
  const auto weight = [&](at::IntArrayRef shape) { return torch::empty(shape, options); };
  wq = weight({key_width, D});
  wk = weight({key_width, D});
  wv = weight({width, D});
  wg = weight({width, D});
  wb = weight({H, D});
  wa = weight({H, D});
  q_conv = weight({key_width, 1, conv_taps});
  k_conv = weight({key_width, 1, conv_taps});
  v_conv = weight({width, 1, conv_taps});
  a_log = weight({H});
  dt_bias = weight({H});
  wo = weight({D, width});
}

void GatedDeltaNet::visit(const std::string& prefix, const WeightVisitor& visitor) {
  visitor(prefix + "a_log", a_log);
  visitor(prefix + "dt_bias", dt_bias);
  visitor(prefix + "wq.weight", wq);
  visitor(prefix + "wk.weight", wk);
  visitor(prefix + "wv.weight", wv);
  visitor(prefix + "wo.weight", wo);
  visitor(prefix + "wg.weight", wg);
  visitor(prefix + "wb.weight", wb);
  visitor(prefix + "wa.weight", wa);
  visitor(prefix + "q_conv.weight", q_conv);
  visitor(prefix + "k_conv.weight", k_conv);
  visitor(prefix + "v_conv.weight", v_conv);
  norm.visit(prefix + "norm", visitor);
}

/// Returns o, [B, S, H, d], in the dtype of the rule.
torch::Tensor GatedDeltaNet::mixed(const torch::Tensor& x, const torch::Tensor& documents_BS,
                                   const Part& part) const {
  const auto heads = [&](const torch::Tensor& weight, const torch::Tensor& taps, const char* name) {
    const torch::Tensor y =
        short_convolution(linear(x, weight, part / name), taps, documents_BS, part.operators());
    return at_least_float32(y.unflatten(2, {-1, head_dim}).transpose(1, 2));
  };
  const torch::Tensor q = of_length_one(heads(wq, q_conv, "wq")), k = of_length_one(heads(wk, k_conv, "wk"));
  const torch::Tensor v = heads(wv, v_conv, "wv");
  const int64_t sharing = v.size(1) / k.size(1);
  const auto shared = [sharing](const torch::Tensor& y) {
    return sharing == 1 ? y : y.repeat_interleave(sharing, 1);
  };
  const torch::Tensor beta = at_least_float32(linear(x, wb, part / "wb").sigmoid());
  const torch::Tensor rate = at_least_float32(linear(x, wa, part / "wa")) + at_least_float32(dt_bias);
  const torch::Tensor g = at::softplus(rate) * at_least_float32(a_log).exp().neg();
  const double scale = 1 / std::sqrt(static_cast<double>(head_dim));
  return delta_rule({.q_BHSd = shared(q) * scale,
                     .k_BHSd = shared(k),
                     .v_BHSe = v,
                     .g_BHS = g.transpose(1, 2),
                     .beta_BHS = beta.transpose(1, 2),
                     .documents_BS = documents_BS},
                    rule)
      .transpose(1, 2);
}

torch::Tensor GatedDeltaNet::forward(const torch::Tensor& x_BSD, const torch::Tensor& /*turns*/,
                                     const AttentionMasks& masks, const Part& part) const {
  const torch::Tensor x = part.enter(x_BSD);
  const torch::Tensor o_BSHd = mixed(x, masks.documents_BS, part).to(x.scalar_type());
  const torch::Tensor gate = part.operators().silu(linear(x, wg, part / "wg")).unflatten(2, {-1, head_dim});
  const torch::Tensor gated = norm.forward(o_BSHd, part / "norm") * gate;
  return part.leave(row_parallel_linear(gated.flatten(2), wo, part / "wo"));
}

}  // namespace parity::reference
