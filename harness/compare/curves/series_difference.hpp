// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/measure/difference/difference.hpp"

namespace parity::compare {

/// The difference of two series. It is measured once; relations judge it.
///
/// Values are paired by position. A pair with the same bits (and no NaN) counts as gap 0, so equal infinities
/// agree. A NaN on either side makes `gap` and all values derived from it NaN, which no tolerance accepts. a
/// is the actual series, e the expected one. Source: METRICS.md M1-M3.
struct SeriesDifference {
  size_t count = 0;             ///< number of pairs
  size_t differing = 0;         ///< pairs whose bits differ, or with a NaN
  std::optional<size_t> first;  ///< position of the first such pair
  /// Position of the largest |a - e|, or of the first NaN.
  size_t worst = 0;
  size_t nan_count = 0;  ///< over both sides
  size_t inf_count = 0;
  bool types_differ = false;  ///< int64 against float64
  bool integral = false;
  /// Whether both sides hold float32 values only; ULPs are then those of float32.
  bool float32_valued = false;
  uint64_t max_ulp = 0;    ///< largest finite distance; 0 for int64
  double gap = 0;          ///< ||a - e||_2
  double norm = 0;         ///< ||e||_2
  double relative_l2 = 0;  ///< gap / norm; 0 if both are 0, infinite if only the norm is
  /// max|a - e| / max|e|; 0 if both are 0, infinite if only max|e| is.
  double relative_linf = 0;
  /// The smallest rtol with |a - e| <= rtol |e| everywhere.
  double needed_rtol = 0;

  bool identical() const { return differing == 0 && !types_differ; }
  /// Returns {"relative_l2", "relative_linf", "max_ulp", "needed_rtol", "nan", "inf"}.
  Json to_json() const;
};

/// Measures the difference of two series.
/// \param expected  the reference
/// \param actual    as many values as expected
SeriesDifference measure_series(const Series& expected, const Series& actual);

/// Measures the difference under a policy that may be less strict; NaN and infinities are always counted. If
/// both sides hold float32 values only, subnormal means subnormal in float32.
SeriesDifference measure_series(const Series& expected, const Series& actual,
                                const measure::DifferencePolicy& policy);

/// Returns the distance of the values at a position [ULPs, in the unit of `difference`]; nothing for int64, a
/// NaN or an infinity.
std::optional<uint64_t> ulp_at(const SeriesDifference& difference, const Series& expected,
                               const Series& actual, size_t i);

/// Returns gap / scale; 0 if both are 0, infinite if only the scale is 0. NaN if either is NaN.
double relative_gap(double gap, double scale);

/// Returns the distance of the values at a position: "1 float32 ULP, relative gap 6.3e-08". "" if neither
/// exists.
std::string distance_text(const SeriesDifference& difference, const Series& expected, const Series& actual,
                          size_t i);

}  // namespace parity::compare
