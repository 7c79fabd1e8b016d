// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/coverage.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Returns what a check asks of its sides and what they recorded of it, before any relation judges them.
///
/// Steps are those of the window, among the updates that the runs were started for. If that number is not
/// stated, they are among those that any side recorded. Names are those that any side has and that match the
/// check's names or glob. A lag excludes the steps that it moves out of the run.
/// \param sides  one for each arm of the check, then those of its sibling if they are arms
/// \return a side for each role of the relation; `unchanged` has its arm twice, first one step earlier
/// \throws MissingEvidence if the window is empty, or the check matches nothing
std::vector<CoveredSide> asked_of(const Check& check, const std::vector<Side>& sides);

/// Returns the updates of the window at which a check asks for laws.
/// \throws MissingEvidence if the window is empty
StepSet steps_of_laws(const Check& check, const Side& side);

/// Returns the number of ranks whose values a trace holds.
int64_t ranks_of(const trace::Trace& trace);

/// Returns those of the asked steps of channels that a run recorded.
Covered channels_found(const Covered& asked, const std::map<std::string, trace::Channel>& channels,
                       const std::vector<int64_t>& steps);

}  // namespace parity::compare
