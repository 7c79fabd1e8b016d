// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/decoder/router.hpp"

namespace parity::reference {

/// The slots of a routing, (token, expert) pairs, in the order in which experts take them. Slot t K + j is
/// the j-th expert of token t.
struct Slots {
  torch::Tensor order_N;   ///< [N] int64, the slots that are taken, by expert and then by token
  torch::Tensor tokens_E;  ///< [E] int64, slots of each expert; they add up to N
  int64_t dropped = 0;     ///< slots that are not taken
};

/// Returns how many tokens an expert takes: ceil(factor T K / E).
/// Source: GShard (arXiv:2006.16668) 2.2; Megatron-LM get_capacity.
int64_t capacity_of(int64_t tokens, const MoeDimensions& dimensions);

/// Sorts the slots of T tokens by expert. With a capacity factor each expert takes at most capacity_of(T)
/// slots: the first ones, or those with the highest scores; of equal scores the first. The tokens of an
/// expert keep their order. What is dropped does not change the weights of a token's other experts.
/// \param tokens_E  [E] int64, slots of each expert before any is dropped
Slots slots_of(const Routing& routing, const torch::Tensor& tokens_E, const MoeDimensions& dimensions);

}  // namespace parity::reference
