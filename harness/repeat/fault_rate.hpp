// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace parity::repeat {

/// Chance that a fault of the excluded rate would have shown itself.
inline constexpr double confidence = 0.95;

/// Returns the largest rate of wrong runs that `clean` clean repetitions in a row do not exclude at 95 %:
/// 1 - 0.05^(1/N), the exact one-sided bound of Clopper and Pearson for 0 of N. 1 for N = 0.
double excluded_rate(int64_t clean);

/// Returns how many clean repetitions exclude a rate at 95 %: the smallest N with excluded_rate(N) <= rate.
/// \param rate  above 0 and below 1
int64_t repetitions_to_exclude(double rate);

/// Returns "24 clean repetitions exclude that more than 11.7 % of the runs differ (at 95 %)".
std::string describe_excluded(int64_t clean);

}  // namespace parity::repeat
