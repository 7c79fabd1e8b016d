// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/bisect/search_record.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// The settings for a comparison of two traces of any origin.
struct TraceSearch {
  /// Regular expression -> replacement, applied to the names of the second trace.
  std::vector<std::pair<std::string, std::string>> names;
  /// Whether to pair tensors with different names by order of execution (align_names.hpp).
  bool align = true;
  double beyond = 0;  ///< relative gap above which a difference counts; 0: any changed bit counts
};

/// Finds where two traces diverge without running anything: step, phase, tensor and element, as far as the
/// traces have them. The record also says what to record for a closer answer.
/// \param actual  its tensors are renamed to the names of `expected`
/// \throws UserError if they have neither a channel nor a tensor in common
SearchRecord search_traces(const trace::Trace& expected, trace::Trace& actual, const TraceSearch& how = {});

}  // namespace parity::bisect
