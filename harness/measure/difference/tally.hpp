// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/measure/difference/difference.hpp"

namespace parity::measure {

/// An exact sum of distances [steps] of up to 2^32 elements.
struct StepSum {
  uint64_t low = 0;  ///< below 2^32
  uint64_t high = 0;

  void add(uint64_t more_low, uint64_t more_high) {
    low += more_low;
    high += more_high + (low >> 32);
    low &= 0xFFFFFFFFU;
  }
  double value() const { return static_cast<double>(high) * 0x1p32 + static_cast<double>(low); }
};

/// Returns a - b, exact up to the last rounding.
inline double difference_of(const StepSum& a, const StepSum& b) {
  return static_cast<double>(static_cast<int64_t>(a.high - b.high)) * 0x1p32 +
         static_cast<double>(static_cast<int64_t>(a.low - b.low));
}

/// The difference between two stretches of elements: the sums and extremes of a Difference, before roots and
/// ratios.
struct DifferenceTally {
  double error_squares = 0, expected_squares = 0, actual_squares = 0, product = 0;
  double max_expected = 0, max_abs_error = 0, needed_rtol = 0;
  uint64_t max_ulp = 0;
  /// Steps of the elements for which actual is higher (up) and lower (down).
  StepSum up, down;
  int64_t differing = 0;
  int64_t expected_nan = 0, actual_nan = 0, expected_inf = 0, actual_inf = 0;
  int64_t first_nan = -1;    ///< flat index of the first NaN that is not accepted as equal
  int64_t largest = -1;      ///< first element with max_abs_error, if that is not 0
  int64_t first_other = -1;  ///< first element with different bits

  /// Adds the following elements. The order of calls determines the bits of the result.
  void add(const DifferenceTally& next) {
    error_squares += next.error_squares;
    expected_squares += next.expected_squares;
    actual_squares += next.actual_squares;
    product += next.product;
    max_expected = std::max(max_expected, next.max_expected);
    needed_rtol = std::max(needed_rtol, next.needed_rtol);
    max_ulp = std::max(max_ulp, next.max_ulp);
    up.add(next.up.low, next.up.high);
    down.add(next.down.low, next.down.high);
    differing += next.differing;
    expected_nan += next.expected_nan;
    actual_nan += next.actual_nan;
    expected_inf += next.expected_inf;
    actual_inf += next.actual_inf;
    if (next.max_abs_error > max_abs_error) {
      max_abs_error = next.max_abs_error;
      largest = next.largest;
    }
    first_nan = first_nan < 0 ? next.first_nan : first_nan;
    first_other = first_other < 0 ? next.first_other : first_other;
  }
};

/// Number of elements whose tallies are added up before they are added to others. Part of the order of sums.
inline constexpr int64_t difference_stretch = int64_t{1} << 18;

/// Checks two tensors. \throws UserError unless they have the same shape and dtype
void require_alike(const TensorView& expected, const TensorView& actual);

/// Returns the difference, with roots and ratios; without the profile and the elements at worst_index.
/// \param count  number of elements in each side
Difference finish_difference(const DifferenceTally& t, int64_t count);

}  // namespace parity::measure
