// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/cli/compare/outputs.hpp"
#include "harness/compare/traces/compare_traces.hpp"

namespace parity::cli {

/// Two or more traces. The first is the reference.
struct TraceOptions {
  std::vector<std::string> sides;
  std::string out;  ///< folder of the last run, for CASE:ARM
  compare::TraceFilter filter;
  measure::DifferencePolicy policy;
  bool profile = false;  ///< measure where and by how many ULPs each tensor differs
  bool json = false;
  bool all = false;  ///< show identical tensors too
  ComparisonOutputs outputs;
};

/// Compares each trace with the first and prints what differs.
ExitCode compare_all_traces(const TraceOptions& options);

}  // namespace parity::cli
