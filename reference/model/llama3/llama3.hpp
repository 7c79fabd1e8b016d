// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/llama3/blocks.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// What a model's forward takes.
struct ModelInput {
  torch::Tensor tokens_BS;     ///< [B, S] int64
  torch::Tensor positions_BS;  ///< [B, S] int64, for RoPE; undefined = 0 .. S-1 in every row
  AttentionMasks masks;        ///< from the model's get_attention_masks

  /// Whole sequences, where the model attends with sdpa.
  ModelInput(torch::Tensor tokens) : tokens_BS(std::move(tokens)) {}  // NOLINT(google-explicit-constructor)
  ModelInput(torch::Tensor tokens, torch::Tensor positions, AttentionMasks attention_masks)
      : tokens_BS(std::move(tokens)), positions_BS(std::move(positions)), masks(std::move(attention_masks)) {}
};

/// Consecutive blocks, [first, end). The one that begins with block 0 has the embedding before it, the one
/// that ends with the last block the final norm behind it.
struct Section {
  int64_t first = 0;
  int64_t end = 0;

  bool operator==(const Section&) const = default;
};

/// Llama 3: embedding, blocks, norm, output projection. Made on the CPU; knows one device and no ranks;
/// hooks() and visit_weights() are where parallelism is applied from outside.
///
/// Parts: tokens (only entered: every section's, also where the embedding is not in it), tok_embeddings (its
/// input: tokens), layers.N, its attention_norm, attention, ffn_norm and
/// feed_forward and what these list, norm, output. layers.N can be run again (ModuleHooks::around).
class Llama3 {
 public:
  /// Weights are allocated in `dtype` and not yet initialised.
  Llama3(const Llama3Dimensions& dimensions, torch::ScalarType dtype, const AttentionChoice& attention = {});

  /// Moves weights and tables; once, before anything is put around the model. Weights that were handed out
  /// stay where they were.
  void move_to(torch::Device device);
  torch::Device device() const { return rope_.device(); }

  /// Which pairs of a batch attend, under the model's rule for documents.
  /// \param tokens_BS, positions_BS  row after row
  Mask get_mask(std::span<const int64_t> tokens_BS, std::span<const int64_t> positions_BS,
                int64_t seq_len) const;
  /// The same for its backend, to be handed to forward: worked out once for all blocks.
  /// \param tokens_BS, positions_BS  [B, S] int64, on the CPU; the masks are on the model's device
  /// \param queries  places in the sequence that forward is given; empty = all
  AttentionMasks get_attention_masks(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS,
                                     const std::vector<int64_t>& queries = {}) const;

  /// \param probe  if given, takes every block's results, in execution order
  /// \return [B, S, V] logits in the model's dtype
  torch::Tensor forward(const ModelInput& input, const Probe& probe = {}) const;

  /// forward() in two parts, for losses that project a part of the tokens at a time.
  /// \return [B, S, D] after the final norm
  torch::Tensor hidden(const ModelInput& input, const Probe& probe = {}) const;
  /// hidden() a section at a time, one after the other.
  /// \param h_BSD  what the section before gave; not used by the first. \return [B, S, D]
  torch::Tensor section(const Section& blocks, const torch::Tensor& h_BSD, const ModelInput& input,
                        const Probe& probe = {}) const;
  /// \param hidden  [..., D]. \return [..., V] logits
  torch::Tensor output(const torch::Tensor& hidden) const;

  ModuleHooks& hooks() { return hooks_; }
  /// The tensors that forward uses, by parameter name. One that is replaced is used from then on;
  /// parameters() keeps the first one.
  void visit_weights(const WeightVisitor& visitor);

  /// The model's weights; writing to them changes the model.
  const Parameters& parameters() const { return parameters_; }
  const Llama3Dimensions& dimensions() const { return dimensions_; }

 private:
  torch::Tensor block(size_t i, torch::Tensor h_BSD, const torch::Tensor& turns, const AttentionMasks& masks,
                      const Probe& probe) const;
  friend void initialize(Llama3& model, uint64_t seed);

  Llama3Dimensions dimensions_;
  AttentionChoice attention_;
  torch::Tensor tok_embeddings_;  ///< [V, D]
  std::vector<Block> layers_;
  RmsNorm norm_;
  torch::Tensor output_;  ///< [V, D]
  torch::Tensor rope_;    ///< [max_seq_len, d / 2] complex
  Parameters parameters_;
  ModuleHooks hooks_;
};

/// Gives every weight its first value: seeds the CPU generator and draws in torchtitan's order, always in
/// float32, then widens. The weights then require gradients.
///
/// Embedding: normal(0, 1). wq, wk, wv, w1: std 0.02. wo, w2, w3 of layer i: std 0.02 / sqrt(2 (i + 1)).
/// Output: std D^-0.5 cut at 3 std. Norms: 1. Source: NUMERICS.md 4.1 and 4.3.
void initialize(Llama3& model, uint64_t seed);

}  // namespace parity::reference
