// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/json_node.hpp"

namespace parity::reports {

/// Where the time of a case, or of all of them, went [seconds]. Source: reports/RESULTS.md, `time` of a case.
struct CaseTimes {
  double training = 0;  ///< in updates
  double start = 0;     ///< the rest of its runs: processes, models, traces
  double judging = 0;
  double waiting = 0;  ///< for the judge, once its runs had ended

  void add(const CaseTimes& other);
  /// "training 4.2 s, start 1.1 s, judging 100 ms"; parts below a millisecond are left out.
  std::string label() const;
};

/// Reads a case's `time`; zeros where a part is missing.
CaseTimes read_case_times(const JsonNode& node);

}  // namespace parity::reports
