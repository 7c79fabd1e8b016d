// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// The log axis of a gap, as the page draws it (templates/plots.js): zeros have a line of their own below the
/// smallest decade, labelled 0, since they would vanish on a log axis. Values that are not finite are above
/// the largest.
struct GapScale {
  double bottom = 0, top = 0;   ///< of the axis
  double zero = 0, beyond = 0;  ///< positions of zeros and of values that are not finite
  std::vector<std::pair<std::string, double>> ticks;  ///< label, position

  double place(double gap) const;
};
GapScale gap_scale(const Curve& curve);

/// Returns whether a value is above 0, so that a band or line of it is visible on that axis.
bool has_place(const Value& value);

/// Returns whether measured floors are drawn. The twins' noise is then not drawn, since the floors decide.
bool has_floors(const Curve& curve);

}  // namespace parity::reports
