// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/largest_logit.hpp"
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

// Shapes: B rows, S positions, D model width, H heads. A query or key has n elements that RoPE leaves
// unchanged, then r that it rotates; a value has e. R is the latent's width, P the width of the queries'
// latent.

/// Computes multi-head latent attention. Keys and values of all heads come from one narrow latent, and all
/// heads share the rotated elements of the keys. H counts the heads in the weights: a rank may have some of
/// the heads, but has wq_a, wkv_a and the norms whole.
///
/// Parts: wq, or wq_a, q_norm and wq_b; wkv_a, kv_norm, wkv_b, wo, k, v. The parts k, [B, S, H, n + r], and
/// v, [B, S, H, e], are the rotated keys and the values. Source: NUMERICS.md 4.4; DeepSeek-V2
/// (arXiv:2405.04434).
struct LatentAttention {
  torch::Tensor wq;     ///< [H (n + r), D]; undefined if queries have a latent
  torch::Tensor wq_a;   ///< [P, D]
  Norm q_norm;          ///< [P]
  torch::Tensor wq_b;   ///< [H (n + r), P]
  torch::Tensor wkv_a;  ///< [R + r, D]
  Norm kv_norm;         ///< [R]
  torch::Tensor wkv_b;  ///< [H (n + e), R]
  torch::Tensor wo;     ///< [D, H e]
  LatentDimensions widths;
  double scale = 1;                              ///< latent_scale()
  std::shared_ptr<LogitTally> logits = nullptr;  ///< null = not counted

  /// Allocates every weight without initialising it.
  LatentAttention(const ModelDimensions& dimensions, const torch::TensorOptions& options);
  /// Visits the weights in torchtitan's order. Their names begin with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
  /// \param turns  from rope_turns; undefined = no RoPE
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& turns, const AttentionMasks& masks,
                        const Part& part) const;

 private:
  torch::Tensor queries(const torch::Tensor& x_BSD, const Part& part) const;
};

}  // namespace parity::reference
