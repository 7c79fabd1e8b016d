// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/model_names.hpp"

namespace parity::reference {

// Shapes: T tokens, E experts, K experts a token.

/// Where each token goes.
struct Routing {
  torch::Tensor experts_TK;  ///< [T, K] int64, each of a token at most once, in no order that means anything
  torch::Tensor scores_TK;   ///< [T, K] float32 or float64: the weight of each of them
};

/// Chooses the K experts with the highest scores. A bias and groups decide the choice only; the weights are
/// the scores without them, divided by their sum (+ 1e-20) where route_norm says so, times route_scale.
///
/// With groups only those of the `limited_groups` groups take part whose two best biased scores have the
/// highest sums. With force_balance slot j of token t goes to expert (t K + j) modulo E.
///
/// \param logits_TE  [T, E] float32 or float64
/// \param bias_E     [E] of that dtype; undefined = none
/// Determinism: equal scores are told apart as at::topk tells them, the same in every run on one device.
/// Source: NUMERICS.md 4.5; DeepSeek-V3 (arXiv:2412.19437) 2.1.2; torchtitan TokenChoiceTopKRouter.
Routing route(const torch::Tensor& logits_TE, const torch::Tensor& bias_E, const MoeDimensions& dimensions);

}  // namespace parity::reference
