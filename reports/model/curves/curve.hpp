// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/case.hpp"

namespace parity::reports {

/// How far two sides may differ in one channel, drawn next to their gap.
struct Bound {
  std::vector<std::string>
      arms;                   ///< the first is the expected side; one arm if it is compared with its golden
  bool golden = false;        ///< the other side is the golden
  bool to_reference = false;  ///< the gap is one of the curve's gaps
  std::string words;          ///< "8 floors", "a tolerance of 1e-05"
  std::vector<Value> gap, floor, limit;  ///< one each for a step of the curve
};

/// A channel of a case with the bounds that its checks measured.
struct Curve : results::Curve {
  std::vector<Bound> bounds;
};

/// Returns a curve of a case with its bounds. If two checks bound the same sides, the first counts.
Curve with_bounds(const results::Curve& curve, const Case& item);

}  // namespace parity::reports
