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
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

// Shapes: T tokens, K experts a token, N = T K, E experts, D model width, F an expert's width.

/// SwiGLU experts side by side.
struct Experts {
  torch::Tensor w1;  ///< [E, F, D]
  torch::Tensor w2;  ///< [E, D, F]
  torch::Tensor w3;  ///< [E, F, D]
  ExpertMatmul matmul = ExpertMatmul::loop;

  /// ExpertMatmul::loop         an expert after the other, in the weights' dtype
  /// ExpertMatmul::grouped_bf16 one grouped product, everything cast to bfloat16 (torchtitan); of float64
  ///                            weights it is the loop
  /// \param x       [N, D] the tokens of the first expert, then of the next one
  /// \param tokens  [E] of each; they add up to N
  /// \return [N, D] in x's dtype
  torch::Tensor forward(const torch::Tensor& x_ND, const std::vector<int64_t>& tokens) const;
};

/// Takes tokens through the experts: rows sorted by expert, and how many each has.
using ExpertRunner =
    std::function<torch::Tensor(const torch::Tensor& x_ND, const std::vector<int64_t>& tokens)>;
/// The same for experts some of which other ranks hold. \param own  runs those that are here
using ExpertDispatch = std::function<torch::Tensor(
    const torch::Tensor& x_ND, const std::vector<int64_t>& tokens, const ExpertRunner& own)>;

/// What a router has done since the last update, of this rank's tokens. Counted where gradients are wanted,
/// so each token once, also where activation checkpointing runs the block twice.
struct RouterTally {
  torch::Tensor tokens_E;  ///< [E] int64, tokens that went to each expert
  torch::Tensor digest;    ///< scalar int64 of which token went where; additive over tokens
};

/// A mixture of experts: a router sends each token to K of E experts, whose results are added up with its
/// scores as weights; what every token goes through besides is added to it. Parts: router (the gate), experts
/// (all of them, with the tokens sorted by expert), shared_experts and what it lists.
struct Moe {
  MoeDimensions dimensions;
  int64_t block = 0;  ///< whose experts these are
  Experts experts;
  torch::Tensor gate;  ///< [E, D]
  std::optional<FeedForward> shared;
  torch::Tensor bias_E;  ///< [E] float32 or float64, no parameter; undefined = none
  RouterTally tally;

  /// Weights uninitialised, biases and tally zero. \param dim  D
  Moe(int64_t dim, int64_t block_index, const MoeDimensions& moe, const torch::TensorOptions& options);

  /// \param identity_BS  [B, S] int64: tells tokens apart in the tally's digest
  /// \param dispatch     empty = all experts are here
  /// Determinism: a token's results are added in the order of its experts.
  torch::Tensor forward(const torch::Tensor& x_BSD, const torch::Tensor& identity_BS, const Part& part,
                        const ExpertDispatch& dispatch) const;
  /// Weights in torchtitan's order, names beginning with `prefix`.
  void visit(const std::string& prefix, const WeightVisitor& visitor);
  void move_to(torch::Device device);

 private:
  void count(const torch::Tensor& experts_TK, const torch::Tensor& tokens_E,
             const torch::Tensor& identity_BS) const;
};

}  // namespace parity::reference
