// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <torch/types.h>

namespace parity::reference {

/// Repeats each head n times, neighbours together: [B, K, S, hd] to [B, K n, S, hd].
torch::Tensor repeat_heads(const torch::Tensor& x_BKSd, int64_t n);

/// Causal attention by PyTorch's scaled_dot_product_attention: softmax(q k^T scale + causal mask) v.
///
/// \param q_BHSd  [B, H, S, hd] queries
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
/// \param v_BKSe  [B, K, S, he] values
/// \param scale   none = 1 / sqrt(hd)
/// \return [B, H, S, he], same dtype
torch::Tensor sdpa_causal(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                          const torch::Tensor& v_BKSe, std::optional<double> scale = {});

}  // namespace parity::reference
