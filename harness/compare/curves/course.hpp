// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "harness/compare/curves/series.hpp"

namespace parity::compare {

/// Measures of how two curves run next to each other. Source: METRICS.md M7 and M8.

/// Returns how far apart two neighbouring values of a curve are by chance.
///
/// Second differences x[s+1] - 2 x[s] + x[s-1] cancel a straight trend. For independent normal noise sigma
/// their standard deviation is sqrt(6) sigma, and their median magnitude is 0.6745 sqrt(6) sigma = 1.652
/// sigma. A difference of two values has standard deviation sqrt(2) sigma. Hence noise = sqrt(2) / 1.652 *
/// median |second difference|. A bend of the curve adds to it, which errs on the strict side. With a factor
/// of 3 a flat curve passes 4 times in 100 (simulated: normal noise, 10 to 40 steps; its best value is 1.5 to
/// 2 sigma below the mean). Values that are not finite are left out; the noise of fewer than three is 0.
double step_noise(const Series& curve);

/// A curve has moved if it fell by more than so many times its step_noise.
inline constexpr double needed_noises = 3;

/// Returns the descent-normalised error: max |actual - expected| over the fall of `expected` from its first
/// value to its lowest (M8). Returns nothing if that fall is not above its noise, or if a value is not
/// finite.
std::optional<double> descent_error(const Series& expected, const Series& actual);

/// Returns the divergence horizon (M7): the position of the first of three neighbouring pairs that are all
/// farther apart than the band. Fewer than three count at the end.
/// \param band  a width for each pair
std::optional<size_t> divergence_horizon(const Series& expected, const Series& actual,
                                         std::span<const double> band);

}  // namespace parity::compare
