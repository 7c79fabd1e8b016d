// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/attention/block_mask.hpp"
#include "reference/attention/scores.hpp"

namespace parity::reference {

/// Computes attention under any mask: softmax(scores) v with forbidden pairs at weight 0 and the scores of a
/// rule. It takes one
/// block of queries at a time, over the keys that the block mask leaves. Backward computes the weights again
/// from the stored log-sum-exp, over the same blocks. A query that may not attend to any key gives 0. The
/// gradient of a head's sink is - sum over queries of its weight times (gradient of the output . output).
///
/// \param q_BHSd  [B, H, S, hd] queries
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
///                without being copied
/// \param v_BKSe  [B, K, S, he] values
/// \return [B, H, S, he], same dtype
/// Determinism: the order of blocks is fixed in forward and backward.
torch::Tensor flex_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                             const torch::Tensor& v_BKSe, const c10::intrusive_ptr<BlockMask>& mask,
                             const ScoreRule& rule = {});

}  // namespace parity::reference
