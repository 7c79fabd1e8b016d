// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

// Shapes: B rows, S positions, D model width, H query heads, K key heads, G = H / K, d head width.

/// Grouped-query attention with rotary positions, over the pairs that the masks allow. H and K are what the
/// weights hold: a rank may have some of the heads. Parts: wq, wk, wv (or wqkv), wo, q_norm, k_norm; k and v,
/// [B, S, K, d], are the keys, turned, and the values that are attended to.
struct Attention {
  torch::Tensor wq;    ///< [H d, D]
  torch::Tensor wk;    ///< [K d, D]
  torch::Tensor wv;    ///< [K d, D]
  torch::Tensor wo;    ///< [D, H d]
  torch::Tensor wqkv;  ///< [K (G + 2) d, D] from fused_rows, in the place of wq, wk and wv
  RmsNorm q_norm;      ///< [d] of each head, before RoPE; no weight = none
  RmsNorm k_norm;
  int64_t head_dim = 0;
  int64_t sharing = 1;  ///< G

  /// Allocates every weight, uninitialised.
  Attention(const ModelDimensions& dimensions, const torch::TensorOptions& options);
  /// Weights in torchtitan's order, names beginning with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
  /// \param turns  from rope_turns; undefined = no RoPE
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& turns, const AttentionMasks& masks,
                        const Part& part) const;
};

/// Rows of q, k and v in one, as a fused weight has them: for each key head those of its queries, of its key
/// and of its value, so that a cut between key heads cuts all three.
///
/// \param q_HdD  [H d, D]
/// \param k_KdD, v_KdD  [K d, D]
/// \return [K (G + 2) d, D]
/// Source: torchtitan models/common/attention.py; Megatron-LM.
torch::Tensor fused_rows(const torch::Tensor& q_HdD, const torch::Tensor& k_KdD, const torch::Tensor& v_KdD,
                         int64_t head_dim);

/// The way back, along any dimension.
///
/// \param qkv  [..., K (G + 2) d, ...]
/// \return q, k and v, copied: [..., H d, ...], [..., K d, ...] twice
std::array<torch::Tensor, 3> split_rows(const torch::Tensor& qkv, int64_t dim, int64_t head_dim,
                                        int64_t sharing);

}  // namespace parity::reference
