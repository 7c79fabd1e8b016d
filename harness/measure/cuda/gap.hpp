// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/element.hpp"

namespace parity::measure::cuda {

/// Counts and extremes that a pass over a pair collects from all blocks. They start as zeros, except that
/// first_... start as `nowhere`. Doubles are stored as bits, which order positive doubles correctly.
struct DifferenceCounts {
  static constexpr uint64_t nowhere = ~uint64_t{0};

  uint64_t differing, max_ulp;
  uint64_t expected_nan, actual_nan, expected_inf, actual_inf;
  /// Sums of the low and high 32-bit halves of the steps.
  uint64_t up[2], down[2];
  uint64_t max_error, max_expected, needed_rtol;
  /// Flat index of the first NaN of either side, and of the first element with different bits.
  uint64_t first_nan, first_other;
  uint64_t first_worst;  ///< first element with |a - e| = max_error
};

/// Returns |a - e| of two elements that are not NaN; infinite for infinities that are not equal.
template <class Element>
constexpr double distance_of(typename Element::Bits e, typename Element::Bits a) {
  // The difference can be exact even if the values as doubles are not.
  if constexpr (!Element::floating && sizeof(e) == 8)
    return static_cast<double>(steps_between<typename Element::Bits, false>(e, a));
  const double expected = Element::value(e), actual = Element::value(a);
  return expected == actual ? 0.0 : magnitude_of(actual - expected);
}

/// The difference of some pairs of elements.
struct Gap {
  static constexpr int sum_count = 4;
  double sums[sum_count];  ///< sums of (a - e)^2, e^2, a^2 and e a
  double max_error, max_expected, needed_rtol;
  uint64_t max_ulp, first_nan, first_other;
  uint64_t up[2], down[2];
  uint32_t differing, expected_nan, actual_nan, expected_inf, actual_inf;
  bool large_integers;  ///< some integer may not be exact as a double

  static constexpr Gap none() {
    Gap gap{};
    gap.first_nan = gap.first_other = DifferenceCounts::nowhere;
    return gap;
  }

  /// Adds a pair. NaN and infinities are counted but not added to sums, which they would spoil.
  template <class Element>
  constexpr void add(typename Element::Bits e_bits, typename Element::Bits a_bits, uint64_t index) {
    const double e = Element::value(e_bits), a = Element::value(a_bits);
    const bool nan = is_nan(e) || is_nan(a);
    expected_nan += is_nan(e);
    actual_nan += is_nan(a);
    expected_inf += is_infinite(e);
    actual_inf += is_infinite(a);
    if (is_finite(e)) {
      sums[1] += e * e;
      max_expected = largest(max_expected, magnitude_of(e));
    }
    if (is_finite(e) && is_finite(a)) {
      sums[2] += a * a;
      sums[3] += e * a;
    }
    if (nan)
      first_nan = index < first_nan ? index : first_nan;
    else
      add_distance<Element>(e_bits, a_bits, index);
    differing += nan || e_bits != a_bits;
    large_integers = large_integers || is_large<Element>(e_bits) || is_large<Element>(a_bits);
  }

  /// Adds other pairs, without their sums: the caller determines the order of sums.
  constexpr void join(const Gap& other) {
    max_error = largest(max_error, other.max_error);
    max_expected = largest(max_expected, other.max_expected);
    needed_rtol = largest(needed_rtol, other.needed_rtol);
    max_ulp = other.max_ulp > max_ulp ? other.max_ulp : max_ulp;
    first_nan = other.first_nan < first_nan ? other.first_nan : first_nan;
    first_other = other.first_other < first_other ? other.first_other : first_other;
    for (int half = 0; half < 2; ++half) {
      up[half] += other.up[half];
      down[half] += other.down[half];
    }
    differing += other.differing;
    expected_nan += other.expected_nan;
    actual_nan += other.actual_nan;
    expected_inf += other.expected_inf;
    actual_inf += other.actual_inf;
    large_integers = large_integers || other.large_integers;
  }

 private:
  static constexpr double largest(double a, double b) { return b > a ? b : a; }

  template <class Element>
  static constexpr bool is_large(typename Element::Bits bits) {
    if constexpr (Element::floating || sizeof bits < 8)
      return false;
    else
      return (bits < 0 ? ~bits : bits) > int64_t{1} << 53;
  }

  template <class Element>
  constexpr void add_distance(typename Element::Bits e_bits, typename Element::Bits a_bits, uint64_t index) {
    using Bits = typename Element::Bits;
    const double error = distance_of<Element>(e_bits, a_bits);
    const uint64_t steps = steps_between<Bits, Element::floating>(e_bits, a_bits);
    const bool higher = key_of<Bits, Element::floating>(a_bits) > key_of<Bits, Element::floating>(e_bits);
    sums[0] += error * error;
    max_error = largest(max_error, error);
    needed_rtol = largest(needed_rtol, error_ratio(error, magnitude_of(Element::value(e_bits))));
    max_ulp = steps > max_ulp ? steps : max_ulp;
    const uint64_t low = steps & 0xFFFFFFFFU, high = steps >> 32;
    up[0] += higher ? low : 0;
    up[1] += higher ? high : 0;
    down[0] += higher ? 0 : low;
    down[1] += higher ? 0 : high;
    if (e_bits != a_bits)
      first_other = index < first_other ? index : first_other;
  }
};

}  // namespace parity::measure::cuda
