// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace parity::compare {

/// A relative difference at one step.
struct GrowthPoint {
  int64_t step = 0;
  double difference = 0;
};

/// The growth of rounding noise over the steps of a run: log d_s = log d_0 + lambda s, until it saturates.
/// Source: METRICS.md M7.
struct Growth {
  double initial = 0;  ///< d_0, the line's relative difference at step 0
  double rate = 0;     ///< lambda, per step
  /// Relative level at which the growth stops.
  double saturation = std::numeric_limits<double>::infinity();
  size_t points = 0;  ///< number of points of the fit

  /// Returns whether there are enough points: any two points give a line.
  bool known() const { return points >= 3; }
  /// Returns the line's value at a step, at most the saturation; 0 if the growth is not known.
  double at(int64_t step) const;
};

/// Fits the growth by least squares over the logarithms of the differences above 0.
///
/// The points from some step on (at least 3) count as saturated, at the geometric mean of their differences,
/// under two conditions. The line before them rises, and the two pieces leave less than a quarter of the sum
/// of squares that one line leaves.
Growth fit_growth(const std::vector<GrowthPoint>& points);

}  // namespace parity::compare
