// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <torch/types.h>

#include "reference/attention/attention.hpp"

namespace parity::reference {

/// Keeps the largest logit of each query head of a block since an update began.
struct LogitTally {
  torch::Tensor largest_H;  ///< [H] at least float32, no gradient; undefined = nothing was seen

  void add(const torch::Tensor& logits_H);
  void clear() { largest_H.reset(); }
};

/// Returns the largest logit of each query head, over all rows and the pairs that the masks allow:
///
///   max over b, q, k of q_bhq k_bhk^T scale         before a cap, without sinks
///
/// It computes S x S logits of one row at a time, without gradient.
/// \param q_BHSd  [B, H, S, hd]
/// \param k_BKSd  [B, K, S, hd]; K divides H
/// \param masks   of sdpa or dense
/// \return [H] in q's dtype, at least float32; NaN where a logit is
/// \throws InternalError for masks of another backend
torch::Tensor largest_logits(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                             const AttentionMasks& masks, const ScoreRule& rule = {});

/// Adds the largest logits to a tally, if there is one, in passes with gradients only. A block that runs
/// again adds the same ones.
void count_logits(const std::shared_ptr<LogitTally>& tally, const torch::Tensor& q_BHSd,
                  const torch::Tensor& k_BKSd, const AttentionMasks& masks, const ScoreRule& rule = {});

}  // namespace parity::reference
