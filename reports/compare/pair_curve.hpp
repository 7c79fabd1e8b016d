// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace parity::reports {

/// A curve of two sides and their gap, for a plot.
struct PairCurve {
  std::vector<int64_t> steps;
  std::vector<double> first, second, gap;  ///< one for each step
  size_t merged = 1;                       ///< most steps that two points stand for; 1: every step is there
};

/// The number of points of a curve above which steps are merged.
inline constexpr size_t most_points = 2000;

/// Returns the curve of two sides; above most_points steps, thinned.
///
/// Neighbouring steps are then merged into buckets. A bucket keeps the smallest and the largest value of each
/// side and of the gap, in their order, at its first and its last step. A value that is not finite gets a
/// third point, so that thinning never hides one.
PairCurve pair_curve(std::span<const int64_t> steps, std::span<const double> first,
                     std::span<const double> second);

}  // namespace parity::reports
