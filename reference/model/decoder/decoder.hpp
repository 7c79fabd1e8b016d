// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/blocks.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// What a model's forward takes.
struct ModelInput {
  torch::Tensor tokens_BS;     ///< [B, S] int64
  torch::Tensor positions_BS;  ///< [B, S] int64, for RoPE; undefined = 0 .. S-1 in every row
  MaskSet masks;               ///< from the model's get_attention_masks; none = causal sdpa
  int64_t first_row = 0;       ///< of the micro-batch that these rows come from; for observers only

  /// Whole sequences, where the model attends with sdpa.
  ModelInput(torch::Tensor tokens) : tokens_BS(std::move(tokens)) {}  // NOLINT(google-explicit-constructor)
  ModelInput(torch::Tensor tokens, torch::Tensor positions, MaskSet attention_masks)
      : tokens_BS(std::move(tokens)), positions_BS(std::move(positions)), masks(std::move(attention_masks)) {}
};

/// Consecutive blocks, [first, end). The one that begins with block 0 has the embedding before it, the one
/// that ends with the last block the final norm behind it.
struct Section {
  int64_t first = 0;
  int64_t end = 0;

  bool operator==(const Section&) const = default;
};

/// A decoder (Llama 3, Qwen3): embedding, blocks, norm, output projection. Knows one device and no ranks;
/// hooks() and visit_weights() are where parallelism is applied from outside.
///
/// Parts: tokens (only entered: every section's, also where the embedding is not in it), tok_embeddings (its
/// input: tokens), layers.N, its attention_norm, attention, ffn_norm and
/// feed_forward or moe and what these list, norm, output. layers.N can be run again (ModuleHooks::around).
class Decoder {
 public:
  /// Weights are allocated and not yet initialised, on the CPU, or on the meta device to be counted.
  Decoder(const ModelDimensions& dimensions, torch::ScalarType dtype, const AttentionChoice& attention = {},
          torch::Device device = torch::kCPU);

  /// Moves weights and tables; once, before anything is put around the model. Weights that were handed out
  /// stay where they were.
  void move_to(torch::Device device);
  torch::Device device() const { return rope_.device(); }

  /// Which pairs of a batch attend, by name: "all", or where some blocks have no RoPE "rope" and "nope", the
  /// latter without what makes attention local.
  /// \param tokens_BS, positions_BS  row after row
  std::map<std::string, Mask> get_masks(std::span<const int64_t> tokens_BS,
                                        std::span<const int64_t> positions_BS, int64_t seq_len) const;
  /// The same for its backend, to be handed to forward: worked out once for all blocks.
  /// \param tokens_BS, positions_BS  [B, S] int64, on the CPU; the masks are on the model's device
  /// \param queries  places in the sequence that forward is given; empty = all
  MaskSet get_attention_masks(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS,
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
  /// The mixtures of experts, in the order of their blocks, with their biases and tallies.
  std::vector<const Moe*> mixtures() const;
  /// The biases of their routers, which are no parameters: nothing differentiates them.
  Parameters router_biases() const;
  /// Where tokens go to meet their experts; empty = all are here.
  void set_expert_dispatch(ExpertDispatch dispatch) { dispatch_ = std::move(dispatch); }

  /// The model's weights; writing to them changes the model.
  const Parameters& parameters() const { return parameters_; }
  const ModelDimensions& dimensions() const { return dimensions_; }

 private:
  /// What all blocks of a pass see.
  struct Pass {
    torch::Tensor turns;
    MaskSet masks;
    torch::Tensor identity_BS;  ///< as Moe::forward
    Probe probe;
    int64_t first_row = 0;
  };
  torch::Tensor block(size_t i, torch::Tensor h_BSD, const Pass& pass) const;
  torch::Tensor identity_of(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS) const;
  std::string mask_name(int64_t layer) const;
  friend void initialize(Decoder& model, uint64_t seed);

  ModelDimensions dimensions_;
  AttentionChoice attention_;
  torch::Tensor tok_embeddings_;  ///< [V, D]
  std::vector<Block> layers_;
  RmsNorm norm_;
  torch::Tensor output_;  ///< [V, D]; undefined where it is the embedding
  torch::Tensor rope_;    ///< from rope_table
  Parameters parameters_;
  ModuleHooks hooks_;
  ExpertDispatch dispatch_;
};

/// Gives every weight its first value: seeds the CPU generator and draws in torchtitan's order, always in
/// float32, then widens. The weights then require gradients.
///
/// Initialization::depth_scaled: embedding normal(0, 1); wo, w2, w3 (of experts and shared experts too) and
/// the router of layer i truncated normal of std 0.02 / sqrt(2 (i + 1)), the blocks' other matrices of std
/// 0.02; output of std D^-0.5 cut at 3 std, also over a tied embedding. Initialization::normal: every matrix
/// normal(0, 0.02), but in a model with experts wo and the experts' w2 of std 0.02 / sqrt(2 L); a tied
/// embedding is drawn once, as the output. Norms: 1. RopeWeights::permuted then reorders wq and wk. A fused
/// weight has the numbers that wq, wk and wv would have. Source: NUMERICS.md 4.1 and 4.3; torchtitan
/// models/qwen3.
void initialize(Decoder& model, uint64_t seed);

}  // namespace parity::reference
