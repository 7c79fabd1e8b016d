// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/feed_forward.hpp"
#include "reference/model/decoder/moe.hpp"
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

// Shapes: B rows, S positions, D model width, H query heads, K key heads, d head width, F feed-forward width.

/// x / sqrt(mean(x^2) + eps) weight, over the last dimension.
struct RmsNorm {
  torch::Tensor weight;  ///< [D]
  double eps = 1e-5;

  torch::Tensor forward(const torch::Tensor& x_BSD, const Part& part) const;
};

/// Grouped-query attention with rotary positions, over the pairs that the masks allow. H and K are what the
/// weights hold: a rank may have some of the heads. Parts: wq, wk, wv, wo, q_norm, k_norm; k and v, [B, S, K,
/// d], are the keys, turned, and the values that are attended to.
struct Attention {
  torch::Tensor wq;  ///< [H d, D]
  torch::Tensor wk;  ///< [K d, D]
  torch::Tensor wv;  ///< [K d, D]
  torch::Tensor wo;  ///< [D, H d]
  RmsNorm q_norm;    ///< [d] of each head, before RoPE; no weight = none
  RmsNorm k_norm;
  int64_t head_dim = 0;

  /// \param turns  from rope_turns; undefined = no RoPE
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& turns, const AttentionMasks& masks,
                        const Part& part) const;
};

/// h = x + attention(norm(x)); out = h + feed_forward(norm(h)), or moe(norm(h)).
struct Block {
  Attention attention;
  FeedForward feed_forward;  ///< without weights where there are experts
  std::optional<Moe> moe;
  RmsNorm attention_norm;
  RmsNorm ffn_norm;

  /// Allocates every weight, uninitialised.
  Block(const ModelDimensions& dimensions, int64_t index, const torch::TensorOptions& options);
  /// Weights in torchtitan's order, names beginning with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
};

}  // namespace parity::reference
