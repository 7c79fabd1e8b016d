// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/llama3/blocks.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Llama 3: embedding, blocks, norm, output projection. Knows one device and no ranks.
class Llama3 {
 public:
  /// Weights are allocated in `dtype` and not yet initialised.
  Llama3(const Llama3Dimensions& dimensions, torch::ScalarType dtype);

  /// \param tokens_BS  [B, S] int64
  /// \param probe      if given, takes every block's results, in execution order
  /// \return [B, S, V] logits in the model's dtype
  torch::Tensor forward(const torch::Tensor& tokens_BS, const Probe& probe = {}) const;

  /// forward() in two parts, for losses that project a part of the tokens at a time.
  /// \return [B, S, D] after the final norm
  torch::Tensor hidden(const torch::Tensor& tokens_BS, const Probe& probe = {}) const;
  /// \param hidden  [..., D]. \return [..., V] logits
  torch::Tensor output(const torch::Tensor& hidden) const;

  /// The model's weights; writing to them changes the model.
  const Parameters& parameters() const { return parameters_; }
  const Llama3Dimensions& dimensions() const { return dimensions_; }

 private:
  friend void initialize(Llama3& model, uint64_t seed);

  Llama3Dimensions dimensions_;
  torch::Tensor tok_embeddings_;  ///< [V, D]
  std::vector<Block> layers_;
  RmsNorm norm_;
  torch::Tensor output_;  ///< [V, D]
  torch::Tensor rope_;    ///< [max_seq_len, d / 2] complex
  Parameters parameters_;
};

/// Gives every weight its first value: seeds the CPU generator and draws in torchtitan's order, always in
/// float32, then widens. The weights then require gradients.
///
/// Embedding: normal(0, 1). wq, wk, wv, w1: std 0.02. wo, w2, w3 of layer i: std 0.02 / sqrt(2 (i + 1)).
/// Output: std D^-0.5 cut at 3 std. Norms: 1. Source: NUMERICS.md 4.1 and 4.3.
void initialize(Llama3& model, uint64_t seed);

}  // namespace parity::reference
