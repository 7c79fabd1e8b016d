// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/rl/policy_batch.hpp"

namespace parity::reference {

/// Returns the rows of an update, one rollout in each.
/// \param rollouts  checked
std::vector<PolicyBatch> single_rows(std::span<const Rollout> rollouts, const RolloutLimits& limits);

/// Returns the rows of an update with several rollouts in each: every rollout goes into the first row with
/// room for all its positions. Positions count from 0 in each rollout, and are 0 in the padding at the end,
/// so that each padding token is a document of its own (data/README.md, first_fit).
/// \param rollouts  checked
/// \param count     of the rows; the last ones may be empty
/// \throws UserError if the rollouts do not fit, naming the first that does not
std::vector<PolicyBatch> packed_rows(std::span<const Rollout> rollouts, const RolloutLimits& limits,
                                     int64_t count);

}  // namespace parity::reference
