// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/coverage.hpp"
#include "harness/compare/side.hpp"

namespace parity {

/// Returns what a check asks of its sides and what they have of it, before any relation looks at them.
///
/// Steps are those of the window, in the updates that the runs were started for; where nobody said how many,
/// in those that any side recorded. Names are those that any side has and the check's names or glob match.
/// A lag leaves out the steps that it moves out of the run.
/// \param sides  one for each arm of the check, then those of its sibling where they are arms
/// \return a side for each role of the relation: `unchanged` has its arm twice, a step earlier and then
/// \throws MissingEvidence if the window is empty, or the check matches nothing
std::vector<CoveredSide> asked_of(const Check& check, const std::vector<Side>& sides);

/// Returns how many ranks a trace has the values of.
int64_t ranks_of(const Trace& trace);

/// Returns what a run has of these steps of channels.
Covered channels_found(const Covered& asked, const std::map<std::string, Channel>& channels,
                       const std::vector<int64_t>& steps);

}  // namespace parity
