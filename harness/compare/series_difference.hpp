// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/json.hpp"
#include "harness/compare/series.hpp"
#include "harness/measure/difference.hpp"

namespace parity {

/// What lies between two series, measured once; relations decide on it.
///
/// Values are paired by position. A pair with the same bits (and no NaN) counts as gap 0, so equal infinities
/// agree. A NaN on either side makes `gap` and all that comes from it NaN, which no tolerance accepts.
/// Source: METRICS.md M1-M3.
struct SeriesDifference {
  size_t count = 0;             ///< pairs
  size_t differing = 0;         ///< pairs whose bits differ, or with a NaN
  std::optional<size_t> first;  ///< position of the first of these
  size_t worst = 0;             ///< position of the largest |a - e|, or of the first NaN
  size_t nan_count = 0;         ///< over both sides
  size_t inf_count = 0;
  bool types_differ = false;  ///< int64 against float64
  bool integral = false;
  bool float32_valued = false;  ///< both sides hold float32 values only: ULPs are those of float32
  uint64_t max_ulp = 0;         ///< largest finite distance; 0 for int64
  double gap = 0;               ///< ||a - e||_2
  double norm = 0;              ///< ||e||_2
  double relative_l2 = 0;       ///< gap / norm; 0 if both are 0, infinite if only the norm is
  double relative_linf = 0;     ///< max|a - e| / max|e|, likewise
  double needed_rtol = 0;       ///< the least rtol with |a - e| <= rtol |e| everywhere

  bool identical() const { return differing == 0 && !types_differ; }
  /// {"relative_l2", "relative_linf", "max_ulp", "needed_rtol", "nan", "inf"}
  Json to_json() const;
};

/// \param expected  the reference
/// \param actual    as many values as expected
SeriesDifference measure_series(const Series& expected, const Series& actual);

/// The same under a policy that may ask for less; NaN and infinities are counted all the same. What is
/// subnormal is told by float32 where both sides hold float32 values only.
SeriesDifference measure_series(const Series& expected, const Series& actual, const DifferencePolicy& policy);

/// ULP distance of the values at a position, in the unit of `difference`; nothing for int64, a NaN or an
/// infinity.
std::optional<uint64_t> ulp_at(const SeriesDifference& difference, const Series& expected,
                               const Series& actual, size_t i);

/// gap / scale; 0 if both are 0, infinite if only the scale is. NaN if either is.
double relative_gap(double gap, double scale);

/// "1 float32 ULP, relative gap 6.3e-08" for the values at a position; "" where neither exists.
std::string distance_text(const SeriesDifference& difference, const Series& expected, const Series& actual,
                          size_t i);

}  // namespace parity
