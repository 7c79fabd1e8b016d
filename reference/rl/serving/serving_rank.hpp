// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/train/run/generator_rank.hpp"

namespace parity::reference {

/// Returns what a rank does that only generates (rl.generator.ranks). At each update it pulls the version
/// that is due, writes its generator's share of the rollouts, and gives it to the ranks that train. Both
/// halves compute from the config which version is due; a push states it, and fails if they disagree.
/// \param all  the ranks that train, then those that only generate; all call collectives in the same order
Serving serve_policy(const RunConfig& config, const GroupPointer& all);

}  // namespace parity::reference
