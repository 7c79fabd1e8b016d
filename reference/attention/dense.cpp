// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/dense.hpp"

#include <limits>

#include "reference/attention/sdpa.hpp"

namespace parity::reference {

torch::Tensor dense_mask(const Mask& mask) {
  const int64_t S = mask.seq_len;
  const torch::Tensor allowed = torch::empty({mask.rows_differ ? mask.rows : 1, 1, S, S}, torch::kBool);
  bool* out = allowed.data_ptr<bool>();
  for (int64_t b = 0; b < allowed.size(0); ++b)
    for (int64_t q = 0; q < S; ++q)
      for (int64_t kv = 0; kv < S; ++kv)
        *out++ = mask.allows(b, q, kv);
  return allowed;
}

torch::Tensor dense_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                              const torch::Tensor& v_BKSe, const torch::Tensor& allowed_B1SS,
                              std::optional<double> scale) {
  const int64_t sharing = q_BHSd.size(1) / k_BKSd.size(1);
  return at::scaled_dot_product_attention(q_BHSd, repeat_heads(k_BKSd, sharing),
                                          repeat_heads(v_BKSe, sharing), allowed_B1SS, /*dropout_p=*/0.0,
                                          /*is_causal=*/false, scale);
}

torch::Tensor dense_attention_by_scores(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                                        const torch::Tensor& v_BKSe, const torch::Tensor& allowed_B1SS,
                                        const ScoreRule& rule) {
  const int64_t sharing = q_BHSd.size(1) / k_BKSd.size(1);
  torch::Tensor scores_BHQN =
      at::matmul(q_BHSd, repeat_heads(k_BKSd, sharing).transpose(2, 3)) * rule.scale_for(q_BHSd.size(3));
  if (rule.softcap > 0)
    scores_BHQN = at::tanh(scores_BHQN / rule.softcap) * rule.softcap;
  scores_BHQN = scores_BHQN.masked_fill(allowed_B1SS.logical_not(), -std::numeric_limits<double>::infinity());
  if (rule.sinks_H.defined()) {
    const torch::Tensor sinks_BHQ1 =
        rule.sinks_H.view({1, -1, 1, 1}).expand({scores_BHQN.size(0), -1, scores_BHQN.size(2), 1});
    scores_BHQN = at::cat({scores_BHQN, sinks_BHQ1}, 3);
  }
  const torch::Tensor weights = at::softmax(scores_BHQN, 3);
  return at::matmul(weights.narrow(3, 0, k_BKSd.size(2)), repeat_heads(v_BKSe, sharing));
}

}  // namespace parity::reference
