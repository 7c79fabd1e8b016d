// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/decoder/feed_forward.hpp"
#include "reference/model/decoder/router_losses.hpp"
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

// Shapes: T tokens, K experts a token, N = T K, E experts, D model width, F an expert's width.

/// The SwiGLU experts of a block.
struct Experts {
  torch::Tensor w1;  ///< [E, F, D]
  torch::Tensor w2;  ///< [E, D, F]
  torch::Tensor w3;  ///< [E, F, D]
  ExpertMatmul matmul = ExpertMatmul::loop;

  /// Applies the experts to tokens that are sorted by expert.
  ///
  /// ExpertMatmul::loop         one expert after the other, in the weights' dtype
  /// ExpertMatmul::grouped_bf16 one grouped product, everything cast to bfloat16 (torchtitan); for float64
  ///                            weights the loop
  /// \param x       [N, D] the tokens of the first expert, then of the next one
  /// \param tokens  [E] number of tokens of each expert; they add up to N
  /// \param operators  of the loop's products
  /// \return [N, D] in x's dtype
  torch::Tensor forward(const torch::Tensor& x_ND, const std::vector<int64_t>& tokens,
                        const ModuleHooks::Operators& operators = {}) const;
};

/// Applies the experts of this rank to rows that are sorted by expert. `tokens` counts the rows of each
/// expert.
using ExpertRunner =
    std::function<torch::Tensor(const torch::Tensor& x_ND, const std::vector<int64_t>& tokens)>;
/// Applies experts of which other ranks hold some. \param own  runs the experts of this rank
using ExpertDispatch = std::function<torch::Tensor(
    const torch::Tensor& x_ND, const std::vector<int64_t>& tokens, const ExpertRunner& own)>;

/// Counts how a router distributed this rank's tokens since the last update. It counts only passes with
/// gradients, so each token once, also if activation checkpointing runs the block twice.
struct RouterTally {
  torch::Tensor tokens_E;  ///< [E] int64, tokens that went to each expert
  torch::Tensor digest;    ///< scalar int64 of which token went where; additive over tokens
  torch::Tensor dropped;   ///< scalar int64, slots that experts at their capacity dropped
  torch::Tensor losses;    ///< [2] float64, balance loss and z-loss as they enter the update
  torch::Tensor update_E;  ///< [E] int64, tokens of each expert in the whole update; undefined = not counted
};

/// What a pass through the experts needs from outside the model. All members may be empty.
struct MoePass {
  ExpertDispatch dispatch = {};  ///< empty = this rank has all experts
  RouterLossShare losses = {};
  /// Returns the experts that tokens shall take, [T, K] int64, or an undefined tensor for the router's
  /// choice. Also called when a block runs again.
  /// \param part  name of the mixture, "layers.0.moe"
  /// \param first_row, sequences  the sequences of the tokens, in the micro-batch
  std::function<torch::Tensor(const std::string& part, int64_t first_row, int64_t sequences)> given = {};
  /// Receives each choice, also when a block runs again.
  std::function<void(const std::string& part, int64_t first_row, int64_t sequences, const Routing& routing)>
      chosen = {};
  bool counts_update = false;  ///< adds to RouterTally::update_E, in a pass without gradients
};

/// A mixture of experts. A router sends each token to K of E experts, and their results are added up with the
/// router's scores as weights. The result of the shared experts, which take every token, is added.
/// Parts: router (the gate), experts (all of them, with the tokens sorted by expert), shared_experts and the
/// parts that it lists.
struct Moe {
  MoeDimensions dimensions;
  int64_t block = 0;  ///< index of the block
  Experts experts;
  torch::Tensor gate;  ///< [E, D]
  std::optional<FeedForward> shared;
  torch::Tensor bias_E;  ///< [E] float32 or float64, not a parameter; undefined = none
  RouterTally tally;

  /// Allocates weights without initialising them; biases and tally are zero. \param dim  D
  Moe(int64_t dim, int64_t block_index, const MoeDimensions& moe, const torch::TensorOptions& options);

  /// \param identity_BS  [B, S] int64: identifies each token in the tally's digest
  /// Determinism: a token's results are added in the order of its experts.
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& identity_BS, const Part& part,
                        const MoePass& pass = {}) const;
  /// Visits the weights in torchtitan's order. Their names begin with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
  void move_to(torch::Device device);

 private:
  Routing routed(const torch::Tensor& x_TD, int64_t sequences, const Part& part, const MoePass& pass) const;
  void count(const torch::Tensor& experts_TK, const torch::Tensor& tokens_E, const torch::Tensor& identity_BS,
             const MoePass& pass) const;
};

}  // namespace parity::reference
