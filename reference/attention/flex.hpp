// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <torch/types.h>

#include "reference/attention/block_mask.hpp"

namespace parity::reference {

/// Attention under any mask, block of queries by block of queries over the keys that its block mask leaves:
/// softmax(q k^T scale) v with forbidden pairs at weight 0. Backward works out the weights again from
/// their logarithm of the sum, over the same blocks. A query that may look at nothing gives 0.
///
/// \param q_BHSd  [B, H, S, hd] queries
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
///                without being copied
/// \param v_BKSe  [B, K, S, he] values
/// \param scale   none = 1 / sqrt(hd)
/// \return [B, H, S, he], same dtype
/// Determinism: a fixed order of blocks, forward and backward.
torch::Tensor flex_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                             const torch::Tensor& v_BKSe, const c10::intrusive_ptr<BlockMask>& mask,
                             std::optional<double> scale = {});

}  // namespace parity::reference
