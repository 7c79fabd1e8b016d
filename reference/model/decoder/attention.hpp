// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/largest_logit.hpp"
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

// Shapes: B rows, S positions, D model width, H query heads, K key heads, G = H / K, d head width.

/// Computes grouped-query attention with rotary positions, over the pairs that the masks allow. H and K count
/// the heads in the weights: a rank may have some of the model's heads.
///
/// Parts: wq, wk, wv (or wqkv), wg, wo, q_norm, k_norm, k, v. The parts k and v, [B, S, K, d], are the
/// rotated keys and the values.
///
/// With a gate, the heads' outputs are multiplied by sigmoid(wg x) before wo. Source: Gated attention
/// (arXiv:2505.06708), at the place G1.
struct Attention {
  Linear wq;            ///< [H d, D]
  Linear wk;            ///< [K d, D]
  Linear wv;            ///< [K d, D]
  Linear wo;            ///< [D, H d]
  torch::Tensor wqkv;   ///< [K (G + 2) d, D] from fused_rows; replaces wq, wk and wv
  torch::Tensor wg;     ///< [H d, D], or [H, D] of a gate for each head; undefined = no gate
  torch::Tensor sinks;  ///< [H]; undefined = none
  Norm q_norm;          ///< [d] of each head, before RoPE; no weight = none
  Norm k_norm;
  int64_t head_dim = 0;
  int64_t sharing = 1;                           ///< G
  ScoreRule scores;                              ///< without the sinks
  std::shared_ptr<LogitTally> logits = nullptr;  ///< null = not counted

  /// Allocates every weight without initialising it.
  Attention(const ModelDimensions& dimensions, const torch::TensorOptions& options);
  /// Visits the weights in torchtitan's order. Their names begin with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
  /// \param turns  from rope_turns; undefined = no RoPE
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& turns, const AttentionMasks& masks,
                        const Part& part) const;

 private:
  torch::Tensor gated(const torch::Tensor& out_BSHd, const torch::Tensor& x_BSD, const Part& part) const;
};

/// Returns the rows of q, k and v in one matrix, in the order of a fused weight. Each key head has the rows
/// of its queries, then of its key, then of its value. So a cut between key heads cuts all three.
///
/// \param q_HdD  [H d, D]
/// \param k_KdD, v_KdD  [K d, D]
/// \return [K (G + 2) d, D]
/// Source: torchtitan models/common/attention.py; Megatron-LM.
torch::Tensor fused_rows(const torch::Tensor& q_HdD, const torch::Tensor& k_KdD, const torch::Tensor& v_KdD,
                         int64_t head_dim);

/// Splits a fused weight into q, k and v, along any dimension: the inverse of fused_rows().
///
/// \param qkv  [..., K (G + 2) d, ...]
/// \return q, k and v, copied: [..., H d, ...], [..., K d, ...] twice
std::array<torch::Tensor, 3> split_rows(const torch::Tensor& qkv, int64_t dim, int64_t head_dim,
                                        int64_t sharing);

}  // namespace parity::reference
