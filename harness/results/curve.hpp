// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parity::results {

/// One number of a curve. Not set if that arm has no such step. NaN and infinities are values.
using Value = std::optional<double>;

/// The numbers of one arm, one for each step of its curve.
struct Series {
  std::string arm;
  std::vector<Value> values;
};

/// One channel of a case over its updates.
struct Curve {
  std::string channel;
  std::vector<int64_t> steps;       ///< update numbers
  std::vector<Series> series = {};  ///< in the order of the case's arms
  std::vector<Series> gap = {};     ///< |arm - reference|, of each arm except the reference
  std::vector<Value> floor = {};    ///< rounding noise at each step; empty if it was not measured
  std::vector<Series> golden = {};  ///< stored values; empty without a golden
};

}  // namespace parity::results
