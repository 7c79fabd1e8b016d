// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

// Shapes: B rows, S positions, D model width, H value heads, K key heads, d head width.

/// Mixes tokens through a state of fixed size instead of softmax attention: a gated delta net. It has no
/// positions, and heeds no mask but documents, at whose borders state and convolutions begin anew.
///
///   q, k, v = silu(conv(W x))                 causal, 4 taps for each channel: y_t = sum_i w_i x_(t-3+i)
///   q, k    = q / |q| d^-1/2, k / |k|         |x|^2 = sum of squares + 1e-6; key head i serves value heads
///                                             i H / K, ..., (i + 1) H / K - 1
///   beta    = sigmoid(wb x)
///   g       = -exp(a_log) softplus(wa x + dt_bias)
///   o       = the gated delta rule of these   (delta_rule.hpp)
///   y       = wo (rms_norm(o) * silu(wg x))   a norm of each head, one weight for all
///
/// From the norms of q and k up to o, everything is at least float32.
///
/// Parts: wq, wk, wv, wg, wb, wa, norm, wo.
/// Source: Gated Delta Networks (arXiv:2412.06464); Qwen3-Next, which joins matrices of the same input.
struct GatedDeltaNet {
  torch::Tensor wq;       ///< [K d, D]
  torch::Tensor wk;       ///< [K d, D]
  torch::Tensor wv;       ///< [H d, D]
  torch::Tensor wg;       ///< [H d, D]
  torch::Tensor wb;       ///< [H, D]
  torch::Tensor wa;       ///< [H, D]
  torch::Tensor q_conv;   ///< [K d, 1, 4], the last tap for the token itself
  torch::Tensor k_conv;   ///< [K d, 1, 4]
  torch::Tensor v_conv;   ///< [H d, 1, 4]
  torch::Tensor a_log;    ///< [H]
  torch::Tensor dt_bias;  ///< [H]
  Norm norm;              ///< [d]
  torch::Tensor wo;       ///< [D, H d]
  int64_t head_dim = 0;
  DeltaDimensions rule;

  /// Allocates every weight without initialising it.
  GatedDeltaNet(const ModelDimensions& dimensions, const torch::TensorOptions& options);
  /// Visits the weights. Their names begin with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
  /// \param turns  not used
  /// \param masks  whose documents are used
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& turns, const AttentionMasks& masks,
                        const Part& part) const;

 private:
  torch::Tensor mixed(const torch::Tensor& x, const torch::Tensor& documents_BS, const Part& part) const;
};

/// Returns silu of a causal convolution of each channel.
///
/// \param x_BSC   [B, S, C]
/// \param taps_C1T  [C, 1, T], the last tap for the token itself
/// \param documents_BS  the document of each token, which no tap leaves; undefined = one document a row
/// \return [B, S, C]
torch::Tensor short_convolution(const torch::Tensor& x_BSC, const torch::Tensor& taps_C1T,
                                const torch::Tensor& documents_BS, const ModuleHooks::Operators& operators);

}  // namespace parity::reference
