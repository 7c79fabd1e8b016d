// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <torch/types.h>

#include "reference/attention/attention.hpp"
#include "reference/config/model_names.hpp"
#include "reference/model/decoder/blocks.hpp"
#include "reference/model/decoder/multi_token.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// The input of a model's forward pass.
struct ModelInput {
  torch::Tensor tokens_BS;     ///< [B, S] int64
  torch::Tensor positions_BS;  ///< [B, S] int64, for RoPE; undefined = 0 .. S-1 in every row
  MaskSet masks;               ///< from the model's get_attention_masks; none = causal sdpa
  int64_t first_row = 0;       ///< place of these rows in their micro-batch; for observers only

  /// Takes whole sequences, for models with sdpa.
  ModelInput(torch::Tensor tokens) : tokens_BS(std::move(tokens)) {}  // NOLINT(google-explicit-constructor)
  ModelInput(torch::Tensor tokens, torch::Tensor positions, MaskSet attention_masks)
      : tokens_BS(std::move(tokens)), positions_BS(std::move(positions)), masks(std::move(attention_masks)) {}
};

/// Consecutive blocks, [first, end). The section with block 0 also has the embedding. The section with the
/// last block also has the final norm.
struct Section {
  int64_t first = 0;
  int64_t end = 0;

  bool operator==(const Section&) const = default;
};

/// A decoder (Llama 3, Qwen3): embedding, blocks, norm, output projection. It knows one device and no ranks.
/// Parallelism is applied from outside, through hooks() and visit_weights().
///
/// Parts: tokens, tok_embeddings (its input is tokens), layers.N, norm and output. layers.N contains
/// attention_norm, attention or delta_net, ffn_norm, feed_forward or moe, and the parts that these list. The
/// part tokens is only entered, at each section, also at those without the embedding. layers.N can be run
/// again (ModuleHooks::around). pos_embeddings follows tok_embeddings if positions are learned. mtp contains
/// a module of each depth, mtp.0, mtp.1, ...
class Decoder {
 public:
  /// Allocates the weights without initialising them, on the CPU, or on the meta device to count them.
  Decoder(const ModelDimensions& dimensions, torch::ScalarType dtype, const AttentionChoice& attention = {},
          torch::Device device = torch::kCPU);

  /// Moves weights and tables to a device. Call it once, before adding hooks. Copies of weights that callers
  /// already hold stay on the old device.
  void move_to(torch::Device device);
  torch::Device device() const { return rope_.device(); }

  /// Returns the masks of a batch by name: "all", or "rope" and "nope" if some blocks have no RoPE. The mask
  /// "nope" has no rules that make attention local.
  /// \param tokens_BS, positions_BS  row after row
  std::map<std::string, Mask> get_masks(std::span<const int64_t> tokens_BS,
                                        std::span<const int64_t> positions_BS, int64_t seq_len) const;
  /// Returns the masks of a batch in the form of the model's backend, for forward(). All blocks share them.
  /// \param tokens_BS, positions_BS  [B, S] int64, on the CPU; the masks are on the model's device
  /// \param queries  positions in the sequence that forward() receives; empty = all
  MaskSet get_attention_masks(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS,
                              const std::vector<int64_t>& queries = {}) const;

  /// Runs the whole model.
  /// \param probe  if given, receives every block's results, in execution order
  /// \return [B, S, V] logits in the model's dtype
  torch::Tensor forward(const ModelInput& input, const Probe& probe = {}) const;

  /// Runs forward() without the output projection, for losses that project some tokens at a time.
  /// \return [B, S, D] after the final norm
  torch::Tensor hidden(const ModelInput& input, const Probe& probe = {}) const;
  /// Runs one section of hidden(). Call it for each section in order.
  /// \param h_BSD  result of the previous section; the first section ignores it. \return [B, S, D]
  torch::Tensor section(const Section& blocks, const torch::Tensor& h_BSD, const ModelInput& input,
                        const Probe& probe = {}) const;
  /// Applies the output projection, and the cap of the logits. \param hidden  [..., D]. \return [..., V]
  torch::Tensor output(const torch::Tensor& hidden) const;
  /// Runs the modules of multi-token prediction, each on the result of the one before.
  /// \param hidden_BSD  result of hidden(). \return [B, S, D] of each depth
  std::vector<torch::Tensor> further(const torch::Tensor& hidden_BSD, const ModelInput& input) const;
  /// Applies the output projection to the result of a depth. \return [B, S, V] logits
  torch::Tensor further_output(const torch::Tensor& h_BSD, size_t depth) const;

  ModuleHooks& hooks() { return hooks_; }
  /// Visits the tensors that forward() uses, by parameter name. If the visitor replaces one, forward() uses
  /// the new one. parameters() keeps the first one.
  void visit_weights(const WeightVisitor& visitor);
  /// Returns the mixtures of experts, in the order of their blocks, with their biases and tallies.
  std::vector<const Moe*> mixtures() const;
  /// Returns the biases of the routers. They have no gradient, so they are not parameters.
  Parameters router_biases() const;
  /// Returns what all mixtures of experts use from outside: parallelism and the trainer set it.
  MoePass& moe_pass() { return moe_pass_; }
  /// Lets the routers keep RouterTally::update_E, which passes with MoePass::counts_update add to.
  void begin_counting_updates();

  /// Lets every block that attends keep its largest logits, in passes with gradients.
  void begin_counting_logits();
  /// Returns their tallies, by block.
  std::map<int64_t, std::shared_ptr<LogitTally>> logit_tallies() const;

  /// Returns the model's weights. Writing to them changes the model.
  const Parameters& parameters() const { return parameters_; }
  const ModelDimensions& dimensions() const { return dimensions_; }

 private:
  /// Values that all blocks of a pass share.
  struct Pass {
    torch::Tensor turns;
    MaskSet masks;
    torch::Tensor identity_BS;  ///< as Moe::forward
    Probe probe;
    int64_t first_row = 0;
  };
  torch::Tensor block(size_t i, const torch::Tensor& h_BSD, const Pass& pass) const;
  torch::Tensor run(const Block& block, int64_t index, const Part& part, torch::Tensor h_BSD,
                    const Pass& pass) const;
  torch::Tensor turns_of(const ModelInput& input) const;
  torch::Tensor embedded(const torch::Tensor& tokens_BS, const ModelInput& input) const;
  torch::Tensor scaled(const torch::Tensor& embedding_BSD) const;
  torch::Tensor capped(const torch::Tensor& logits) const;
  torch::Tensor identity_of(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS) const;
  std::string mask_name(int64_t layer) const;
  friend void initialize(Decoder& model, uint64_t seed);

  ModelDimensions dimensions_;
  AttentionChoice attention_;
  torch::Tensor tok_embeddings_;  ///< [V, D]
  torch::Tensor pos_embeddings_;  ///< [most positions, D]; undefined with RoPE
  std::vector<Block> layers_;
  Norm norm_;
  torch::Tensor output_;               ///< [V, D]; undefined if it is the embedding
  std::vector<MultiTokenModule> mtp_;  ///< by depth
  torch::Tensor rope_;                 ///< from rope_table
  Parameters parameters_;
  ModuleHooks hooks_;
  MoePass moe_pass_;
};

/// Initialises every weight. It seeds the CPU generator, draws in torchtitan's order, always in float32, and
/// then widens. The weights then require gradients.
///
/// Initialization::depth_scaled
///   tok_embeddings                    normal(0, 1)
///   wo, w2, w3, router of layer i     truncated normal, std 0.02 / sqrt(2 (i + 1)); also (shared) experts
///   other matrices of the blocks      truncated normal, std 0.02
///   output                            truncated normal, std D^-0.5, cut at 3 std; also over a tied embedding
///
/// Initialization::normal
///   every matrix                      normal(0, 0.02); a tied embedding is drawn once, as the output
///   wo and the experts' w2            std 0.02 / sqrt(2 L) in a model with experts
///
/// Initialization::gpt2
///   every matrix                      normal(0, 0.02)
///   wo and w2                         std 0.02 / sqrt(2 L)
///
/// Norms are 1; biases and sinks are 0; learned positions are normal(0, 0.02). RopeWeights::permuted then
/// reorders wq and wk. A fused weight has the numbers that wq, wk and wv would have. Modules of multi-token
/// prediction are drawn after the model, as its next block would be. Adapters are drawn last: A uniform
/// within 1 / sqrt(columns), B 0. So neither changes what the model itself gets. Source: NUMERICS.md 4.1
/// and 4.3; torchtitan models/qwen3; nanoGPT; LoRA (arXiv:2106.09685).
void initialize(Decoder& model, uint64_t seed);

}  // namespace parity::reference
