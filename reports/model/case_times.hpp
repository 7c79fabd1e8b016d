// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/json_node.hpp"

namespace parity::reports {

/// How the time of a case, or of all cases, was spent [seconds]. Source: reports/RESULTS.md, `time` of a
/// case.
struct CaseTimes {
  double training = 0;  ///< in updates
  double start = 0;     ///< the rest of its runs: processes, models, traces
  double judging = 0;
  double waiting = 0;  ///< for the judge, once its runs had ended

  void add(const CaseTimes& other);
  /// Returns "training 4.2 s, start 1.1 s, judging 100 ms"; parts below a millisecond are left out.
  std::string label() const;
};

/// Reads a case's `time`; a missing part is 0.
CaseTimes read_case_times(const JsonNode& node);

}  // namespace parity::reports
