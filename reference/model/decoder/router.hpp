// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/model_names.hpp"

namespace parity::reference {

// Shapes: T tokens, E experts, K experts a token.

/// The experts that a router chose for each token.
struct Routing {
  torch::Tensor experts_TK;          ///< [T, K] int64, without repeats in a row; the order has no meaning
  torch::Tensor scores_TK;           ///< [T, K] float32 or float64: the weight of each of these experts
  torch::Tensor all_scores_TE = {};  ///< [T, E] of that dtype: softmax or sigmoid of the logits
};

/// Chooses the K experts with the highest scores. A bias and groups affect only the choice. The weights are
/// the unbiased scores, divided by their sum (+ 1e-20) if route_norm is set, times route_scale.
///
/// With groups, only experts of `limited_groups` groups are eligible: those groups whose two best biased
/// scores have the highest sums. With force_balance slot j of token t goes to expert (t K + j) modulo E.
///
/// \param logits_TE  [T, E] float32 or float64
/// \param bias_E     [E] of that dtype; undefined = none
/// \param given_TK   [T, K] int64: the choice, in place of the router's own (rollout routing replay,
///                   arXiv:2510.11370); undefined = none. The weights are the scores of these experts
/// Determinism: at::topk decides between equal scores, the same way in every run on one device.
/// Source: NUMERICS.md 4.5; DeepSeek-V3 (arXiv:2412.19437) 2.1.2; torchtitan TokenChoiceTopKRouter.
Routing route(const torch::Tensor& logits_TE, const torch::Tensor& bias_E, const MoeDimensions& dimensions,
              const torch::Tensor& given_TK = {});

}  // namespace parity::reference
