// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/model/check_label.hpp"
#include "reports/model/results.hpp"

namespace parity::reports {

/// The log axis of a gap, as the page draws it (templates/plots.js): a zero has a line of its own below the
/// smallest decade, labelled 0, since on a log axis it would vanish and it is the best news of all; what is
/// no number lies above the largest.
struct GapScale {
  double bottom = 0, top = 0;                         ///< of the axis
  double zero = 0, beyond = 0;                        ///< where zeros lie, and what is no number
  std::vector<std::pair<std::string, double>> ticks;  ///< label, position

  double place(double gap) const;
};
GapScale gap_scale(const Curve& curve);

/// Above 0, so that a band or line of it shows on that axis.
bool has_place(const Value& value);

/// Whether measured floors are drawn: the twins' noise then is not, since they are what decides.
bool has_floors(const Curve& curve);

}  // namespace parity::reports
