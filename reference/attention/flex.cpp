// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/flex.hpp"

#include <limits>
#include <optional>

#include <torch/autograd.h>

// Shapes: H query heads on K key heads, G = H / K. Q queries of a block, N keys that it attends to. d is the
// width of a head's query and key, e that of its value. The G heads of a key head are rows of one matrix: [K,
// G Q, d] times [K, N, d] transposed.

namespace parity::reference {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns the keys (or values) of one row that a block attends to, [K, N, d].
torch::Tensor select(const torch::Tensor& x_KSd, const QueryBlock& block) {
  if (block.keys.size() == 1)
    return x_KSd.narrow(1, block.keys.front().begin, block.keys.front().count);
  std::vector<torch::Tensor> parts;
  for (const Range& range : block.keys)
    parts.push_back(x_KSd.narrow(1, range.begin, range.count));
  return at::cat(parts, 1);
}

/// The transpose of select: adds a part to the rows that select takes.
void add_back(const torch::Tensor& to_KSd, const torch::Tensor& part_KNd, const QueryBlock& block) {
  int64_t begin = 0;
  for (const Range& range : block.keys) {
    to_KSd.narrow(1, range.begin, range.count).add_(part_KNd.narrow(1, begin, range.count));
    begin += range.count;
  }
}

/// Returns the block's part of [H, S, *], as [K, G Q, *].
torch::Tensor grouped(const torch::Tensor& x_HS, const QueryBlock& block, int64_t key_heads) {
  const torch::Tensor part = x_HS.narrow(1, block.queries.begin, block.queries.count);
  return part.reshape({key_heads, -1, part.size(2)});
}

/// The inverse: writes [K, G Q, *] into the block's place in [H, S, *].
void put(const torch::Tensor& to_HS, const torch::Tensor& part, const QueryBlock& block) {
  to_HS.narrow(1, block.queries.begin, block.queries.count)
      .copy_(part.reshape({to_HS.size(0), block.queries.count, to_HS.size(2)}));
}

/// Returns the scores, with forbidden pairs at minus infinity: [K, G Q, N].
/// \param softcap  c of c tanh(q k^T scale / c); 0 = no cap
/// \param slope    if not null, receives the cap's derivative, 1 - tanh^2; stays undefined without a cap
torch::Tensor scores_of(const torch::Tensor& q, const torch::Tensor& k, const QueryBlock& block, double scale,
                        double softcap, torch::Tensor* slope = nullptr) {
  torch::Tensor scores = at::bmm(q, k.transpose(1, 2)).mul_(scale);
  if (softcap > 0) {
    scores.div_(softcap).tanh_();
    if (slope != nullptr)
      *slope = 1 - scores.square();
    scores.mul_(softcap);
  }
  if (block.forbidden_QK.defined())
    scores.view({scores.size(0), -1, block.queries.count, block.key_count})
        .masked_fill_(block.forbidden_QK, -std::numeric_limits<double>::infinity());
  return scores;
}

/// Returns log(sum over keys of exp(score) + exp(sink)), [K, G Q, 1].
/// \param sinks_H  undefined = without the last term; a query without keys then has 0
torch::Tensor log_sum_of(const torch::Tensor& scores, const torch::Tensor& sinks_H, const QueryBlock& block) {
  torch::Tensor log_sum = at::logsumexp(scores, {2}, /*keepdim=*/true);
  if (!sinks_H.defined())
    return log_sum.masked_fill_(log_sum.isneginf(), 0);  // such a query's weights are all exp(-inf) = 0
  const torch::Tensor sinks =
      sinks_H.view({scores.size(0), -1, 1, 1}).expand({-1, -1, block.queries.count, 1}).reshape_as(log_sum);
  return at::logsumexp(at::cat({log_sum, sinks}, 2), {2}, /*keepdim=*/true);
}

/// \param lse, delta  [B, H, S, 1]. \return [H]; undefined without sinks
torch::Tensor gradient_of_sinks(const torch::Tensor& sinks_H, const torch::Tensor& lse,
                                const torch::Tensor& delta) {
  if (!sinks_H.defined())
    return {};
  return (sinks_H.view({1, -1, 1, 1}) - lse).exp_().mul_(delta).sum({0, 2, 3}).neg_();
}

struct FlexAttention : torch::autograd::Function<FlexAttention> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& q_BHSd,
                               const torch::Tensor& k_BKSd, const torch::Tensor& v_BKSe,
                               const c10::intrusive_ptr<BlockMask>& mask, double scale, double softcap,
                               const std::optional<torch::Tensor>& sinks) {
    const torch::Tensor sinks_H = sinks.value_or(torch::Tensor());
    const int64_t B = q_BHSd.size(0), H = q_BHSd.size(1), S = q_BHSd.size(2);
    const torch::Tensor out = torch::zeros({B, H, S, v_BKSe.size(3)}, q_BHSd.options());
    const torch::Tensor lse = torch::zeros({B, H, S, 1}, q_BHSd.options());
    const int64_t key_heads = k_BKSd.size(1);
    for (int64_t b = 0; b < B; ++b)
      for (const QueryBlock& block : mask->row(b)) {
        if (block.key_count == 0)
          continue;
        const torch::Tensor scores =
            scores_of(grouped(q_BHSd[b], block, key_heads), select(k_BKSd[b], block), block, scale, softcap);
        const torch::Tensor log_sum = log_sum_of(scores, sinks_H, block);
        put(out[b], at::bmm((scores - log_sum).exp_(), select(v_BKSe[b], block)), block);
        put(lse[b], log_sum, block);
      }
    context->save_for_backward({q_BHSd, k_BKSd, v_BKSe, out, lse, sinks_H});
    context->saved_data["mask"] = c10::IValue::make_capsule(mask);
    context->saved_data["scale"] = scale;
    context->saved_data["softcap"] = softcap;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &out = saved[3], &lse = saved[4];
    const auto mask = context->saved_data["mask"].toCapsule();
    const torch::Tensor dq = torch::zeros(q.sizes(), q.options());
    const torch::Tensor dk = torch::zeros(k.sizes(), k.options());
    const torch::Tensor dv = torch::zeros(v.sizes(), v.options());
    const torch::Tensor& dout = gradients[0];
    const torch::Tensor delta =
        (dout * out).sum(-1, /*keepdim=*/true);  // sum over keys of weight times dweight
    const double scale = context->saved_data["scale"].toDouble(),
                 softcap = context->saved_data["softcap"].toDouble();
    for (int64_t b = 0; b < q.size(0); ++b)
      for (const QueryBlock& block : static_cast<const BlockMask&>(*mask).row(b)) {
        if (block.key_count == 0)
          continue;
        const torch::Tensor q_b = grouped(q[b], block, k.size(1));
        const torch::Tensor k_b = select(k[b], block);
        const torch::Tensor dout_b = grouped(dout[b], block, k.size(1));
        torch::Tensor slope;
        const torch::Tensor weights =
            scores_of(q_b, k_b, block, scale, softcap, &slope).sub_(grouped(lse[b], block, k.size(1))).exp_();
        add_back(dv[b], at::bmm(weights.transpose(1, 2), dout_b), block);
        torch::Tensor dscores = at::bmm(dout_b, select(v[b], block).transpose(1, 2))
                                    .sub_(grouped(delta[b], block, k.size(1)))
                                    .mul_(weights)
                                    .mul_(scale);
        if (slope.defined())
          dscores.mul_(slope);
        put(dq[b], at::bmm(dscores, k_b), block);
        add_back(dk[b], at::bmm(dscores.transpose(1, 2), q_b), block);
      }
    return {dq, dk, dv, {}, {}, {}, gradient_of_sinks(saved[5], lse, delta)};
  }
};

}  // namespace

torch::Tensor flex_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                             const torch::Tensor& v_BKSe, const c10::intrusive_ptr<BlockMask>& mask,
                             const ScoreRule& rule) {
  return FlexAttention::apply(q_BHSd, k_BKSd, v_BKSe, mask, rule.scale_for(q_BHSd.size(3)), rule.softcap,
                              rule.sinks_H.defined() ? std::optional(rule.sinks_H) : std::nullopt);
}

}  // namespace parity::reference
