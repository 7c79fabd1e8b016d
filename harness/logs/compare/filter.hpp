// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/measure/difference/difference.hpp"

namespace parity::logs {

/// What is compared, and how strictly.
struct LogFilter {
  /// Globs; each must match a channel of both logs. A channel that measures time is compared only if it is
  /// named without wildcards.
  std::vector<std::string> channels;
  bool partial = false;  ///< compare what both logs have, whatever one of them lacks
  measure::DifferencePolicy policy = {};
};

}  // namespace parity::logs
