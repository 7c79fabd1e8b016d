// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/decoder/router.hpp"

namespace parity::reference {

// Shapes: T tokens, E experts, K experts a token, G sets of tokens.

/// How the router's losses of one pass enter the update. An update has M passes with equally many tokens: its
/// micro-batches, on each of the ranks with other rows.
struct RouterLossShare {
  double of_update = 1;        ///< 1 / M, by which a loss of one pass counts in the update's
  double gradient_factor = 1;  ///< of the gradient alone, for what is added up over ranks afterwards
  int64_t parts = 1;           ///< ranks that have parts of the same sequences
  /// Sums counts over these ranks, in place; empty = this rank has whole sequences.
  std::function<void(const torch::Tensor& counts)> sum_over_parts = {};
};

/// The router's losses of one pass, scalars as they enter the update; undefined = the router has none.
struct RouterLosses {
  torch::Tensor balance;
  torch::Tensor z;

  bool any() const { return balance.defined() || z.defined(); }
};

/// Returns how even the load of experts is, averaged over G sets of tokens; 1 if the load is even.
///
///   L = mean over sets of sum_e f_e P_e,  f_e = E n_e / sum_e n_e,  P_e = mean over tokens of p_te
///
/// n_e counts the tokens of a set that chose expert e. Only P has a gradient.
/// \param probabilities_GTE  [G, T / G, E] a token's scores, which add up to 1
/// \param counts_GE          [G, E] or [1, E], of the same dtype
/// \param parts              ranks that have other tokens of the same sets: the mean divides by all tokens
/// Source: Switch Transformer (arXiv:2101.03961) eq. 4 to 6 with K experts a token, as Megatron-LM's
/// switch_load_balancing_loss_func; by sequence DeepSeek-V3 (arXiv:2412.19437) eq. 17 to 20.
torch::Tensor balance_loss(const torch::Tensor& probabilities_GTE, const torch::Tensor& counts_GE,
                           int64_t parts);

/// Returns the losses of a pass, times their coefficients and their share in the update.
/// \param logits_TE   [T, E] of the gate; z = mean over tokens of logsumexp(logits)^2 (ST-MoE,
///                    arXiv:2202.08906, eq. 5)
/// \param sequences   whose tokens follow each other in T
/// \param update_E    [E] int64 tokens of each expert in the whole update; undefined = counts of this pass
RouterLosses router_losses(const torch::Tensor& logits_TE, const Routing& routing, int64_t sequences,
                           const torch::Tensor& update_E, const MoeDimensions& dimensions,
                           const RouterLossShare& share);

/// Returns `x`, whose backward also differentiates the losses, without adding them to the value that is
/// returned to the caller of backward.
/// \param gradient_factor  of the losses' gradient
torch::Tensor with_losses(const torch::Tensor& x, const RouterLosses& losses, double gradient_factor);

}  // namespace parity::reference
