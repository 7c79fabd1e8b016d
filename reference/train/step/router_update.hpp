// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/types.h>

#include "reference/comm/group.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// How the routers of a model distributed the tokens of an update.
struct RouterResult {
  int64_t digest = 0;    ///< of which token went to which expert; does not depend on the layout
  double imbalance = 0;  ///< tokens of the busiest expert over the mean; the largest of all blocks
  std::optional<double> balance_loss = {};  ///< of all blocks; set if the routers have one, as is z_loss
  std::optional<double> z_loss = {};
  std::optional<int64_t> dropped = {};  ///< slots, over all blocks; set if experts have a capacity
};

/// Ends an update at the routers: adds up the ranks' tallies, moves the biases, begins new tallies.
///
///   delta = load_balance sign(mean(n) - n);  bias += delta - mean(delta)
///
/// n counts the tokens of each expert of a block, [E], over all micro-batches and ranks. Call it before the
/// optimizer's step.
/// \param tokens  ranks with different tokens of the update
/// \param stages  ranks with different blocks
/// Source: NUMERICS.md 4.5; arXiv:2408.15664; torchtitan register_moe_load_balancing_hook.
RouterResult end_update_at_routers(const Decoder& model, const Group& tokens, const Group& stages);

}  // namespace parity::reference
