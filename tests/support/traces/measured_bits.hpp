// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <vector>

#include "harness/measure/difference/difference.hpp"
#include "harness/measure/tensor/measurement.hpp"

namespace parity {

/// Returns everything of a measurement, doubles by their bits.
inline std::vector<uint64_t> bits_of(const measure::Measurement& found) {
  std::vector<uint64_t> bits = {static_cast<uint64_t>(found.statistics.nan_count),
                                static_cast<uint64_t>(found.statistics.inf_count),
                                std::bit_cast<uint64_t>(found.statistics.norm),
                                std::bit_cast<uint64_t>(found.statistics.max_abs),
                                found.digest.low,
                                found.digest.high};
  for (const double sum : found.sketch)
    bits.push_back(std::bit_cast<uint64_t>(sum));
  return bits;
}

/// Returns everything of a difference except its profile; all NaN are equal.
inline std::vector<uint64_t> bits_of(const measure::Difference& found) {
  std::vector<uint64_t> bits = {found.max_ulp};
  for (const int64_t count : {found.count, found.differing, found.expected_nan, found.actual_nan,
                              found.expected_inf, found.actual_inf, found.worst_index})
    bits.push_back(static_cast<uint64_t>(count));
  for (const double value : {found.l2_error, found.expected_norm, found.relative_l2, found.max_abs_error,
                             found.relative_linf, found.cosine, found.mean_ulp, found.bias_ulp,
                             found.needed_rtol, found.worst_expected, found.worst_actual})
    bits.push_back(value != value ? ~uint64_t{0} : std::bit_cast<uint64_t>(value));
  return bits;
}

}  // namespace parity
