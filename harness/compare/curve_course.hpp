// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "harness/compare/series.hpp"

namespace parity {

/// How two curves run beside each other. Source: METRICS.md M7 and M8.

/// How far two neighbouring readings of a curve lie apart by chance.
///
/// Second differences x[s+1] - 2 x[s] + x[s-1] cancel a straight trend; of independent normal noise sigma
/// they have the standard deviation sqrt(6) sigma, whose median magnitude is 0.6745 sqrt(6) sigma = 1.652
/// sigma. A difference of two readings has sqrt(2) sigma. So: noise = sqrt(2) / 1.652 * median |second
/// difference|. A bend of the curve adds to it, which errs on the strict side. With a factor of 3 a
/// flat curve passes 4 times in 100 (simulated: normal noise, 10 to 40 steps; its best value lies 1.5 to 2
/// sigma below the mean).
double step_noise(const Series& curve);

/// A curve has moved where it fell by more than so many times its step_noise.
inline constexpr double needed_noises = 3;

/// Descent-normalised error: max |actual - expected| over what `expected` falls by from its first value to
/// its lowest (M8). Nothing where that is no more than its noise, or a value is not finite.
std::optional<double> descent_error(const Series& expected, const Series& actual);

/// Divergence horizon: position of the first of three neighbouring pairs, or of fewer at the end, that all
/// lie farther apart than the band (M7).
/// \param band  a width for each pair
std::optional<size_t> divergence_horizon(const Series& expected, const Series& actual,
                                         std::span<const double> band);

}  // namespace parity
