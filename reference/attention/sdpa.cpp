// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/sdpa.hpp"

namespace parity::reference {

torch::Tensor repeat_heads(const torch::Tensor& x_BKSd, int64_t n) {
  return n == 1 ? x_BKSd : x_BKSd.repeat_interleave(n, 1);
}

torch::Tensor sdpa_causal(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                          const torch::Tensor& v_BKSe, std::optional<double> scale) {
  const int64_t sharing = q_BHSd.size(1) / k_BKSd.size(1);
  return at::scaled_dot_product_attention(q_BHSd, repeat_heads(k_BKSd, sharing),
                                          repeat_heads(v_BKSe, sharing), /*attn_mask=*/{}, /*dropout_p=*/0.0,
                                          /*is_causal=*/true, scale);
}

}  // namespace parity::reference
