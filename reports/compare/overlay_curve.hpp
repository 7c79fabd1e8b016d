// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// The curves of several sides over one list of steps, with their gaps to the first side.
struct OverlayCurve {
  Curve curve;        ///< without goldens and bounds
  size_t merged = 1;  ///< most steps that two points stand for; 1: every step is there
};

/// The number of points of a curve above which steps are merged.
inline constexpr size_t most_points = 2000;

/// Returns a curve; above most_points steps, thinned.
///
/// Neighbouring steps are then merged into buckets. A bucket keeps the smallest and the largest value of each
/// series, gap and floor, in their order, at its first and its last step. A value that is not finite gets a
/// third point, so that thinning never hides one.
OverlayCurve overlay_curve(Curve whole);

}  // namespace parity::reports
