// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/traces/compare_traces.hpp"
#include "harness/trace/read/trace.hpp"
#include "reports/compare/comparison.hpp"

namespace parity::cli {

/// Returns what a page shows of a comparison of traces.
/// \param names   of the traces, as the user named them
/// \param traces  at least two
/// \param pairs   the differences of the second trace and the following from the first
reports::Comparison comparison_of_traces(const std::vector<std::string>& names,
                                         const std::vector<trace::Trace>& traces,
                                         const std::vector<compare::TraceDifference>& pairs);

}  // namespace parity::cli
