// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/config/run_config.hpp"
#include "reference/parallel/core/collectives.hpp"

namespace parity::reference {

/// The ranks of a run that trains a policy, as one of them sees them. Those that train come first. With
/// rl.generator.ranks the others only generate; without it every rank does both. Neighbours of
/// rl.generator.tp ranks form one generator.
struct PolicyRanks {
  GroupPointer all;
  GroupPointer tensor;     ///< those of this rank's generator; null on a rank that only trains
  int64_t generators = 1;  ///< of the run
  int64_t generator = 0;   ///< index of this rank's among them

  /// Returns whether this rank gives its generator's completions to the others.
  bool gives() const { return tensor && tensor->rank() == 0; }
};

/// \param all  every rank of the run, each of which calls it
PolicyRanks policy_ranks(const RunConfig& config, GroupPointer all);

}  // namespace parity::reference
