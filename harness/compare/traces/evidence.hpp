// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/compare/traces/compare_traces.hpp"

namespace parity::compare {

/// Returns why agreement of two traces proves nothing: they share no tensor, and no channel but settings
/// (is_setting).
/// "" if they have more, if they differ, or if the filter selects what to compare.
std::string lacking_evidence(const TraceDifference& difference, const TraceFilter& filter);

}  // namespace parity::compare
