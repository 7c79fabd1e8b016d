// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace parity {

/// A relative difference at one step.
struct GrowthPoint {
  int64_t step = 0;
  double difference = 0;
};

/// How rounding noise grows with the steps of a run: log d_s = log d_0 + lambda s, until it saturates.
/// Source: METRICS.md M7.
struct Growth {
  double initial = 0;  ///< d_0, the line's relative difference at step 0
  double rate = 0;     ///< lambda, per step
  double saturation = std::numeric_limits<double>::infinity();  ///< relative level where it stops growing
  size_t points = 0;                                            ///< the fit rests on so many

  /// Two points give a line whatever they are.
  bool known() const { return points >= 3; }
  /// The line at a step, at most the saturation; 0 where the growth is not known.
  double at(int64_t step) const;
};

/// Least squares over the logarithms of the differences above 0.
///
/// The points from some step on (at least 3) are taken for saturated, at the geometric mean of their
/// differences, if the line before them rises and what is left over (the sum of squares) falls below a
/// quarter of what one line leaves.
Growth fit_growth(const std::vector<GrowthPoint>& points);

}  // namespace parity
