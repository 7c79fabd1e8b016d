// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/bisect/search_record.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// How two traces from anywhere are held beside each other.
struct TraceSearch {
  /// Regular expression -> replacement, over the names of the second trace.
  std::vector<std::pair<std::string, std::string>> names;
  /// Whether what is still called otherwise is paired by order of execution (align_names.hpp).
  bool align = true;
  double beyond = 0;  ///< relative: what counts as a difference; 0: other bits
};

/// Where two traces part, from what they hold and without running anything: step, phase, tensor, element, as
/// far as they were recorded; and what to record to get farther.
/// \param actual  its tensors get the names of the other's
/// \throws UserError if they have neither a channel nor a tensor in common
SearchRecord search_traces(const Trace& expected, Trace& actual, const TraceSearch& how = {});

}  // namespace parity
