// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/element.hpp"

namespace parity::cuda {

/// What a pair's pass gathers from all blocks; starts as zeros, but the first_... as `nowhere`. Doubles are
/// there by their bits, those of positive ones being ordered as they are.
struct DifferenceCounts {
  static constexpr uint64_t nowhere = ~uint64_t{0};

  uint64_t differing, max_ulp;
  uint64_t expected_nan, actual_nan, expected_inf, actual_inf;
  uint64_t up[2], down[2];  ///< steps, in halves of 32 bits that are added up each
  uint64_t max_error, max_expected, needed_rtol;
  uint64_t first_nan, first_other;  ///< flat index of the first NaN of either side, of the first other bits
  uint64_t first_worst;             ///< of the first element with |a - e| = max_error
};

/// |a - e| of two elements, none of them NaN; infinite where infinities do not agree.
template <class Element>
constexpr double distance_of(typename Element::Bits e, typename Element::Bits a) {
  if constexpr (!Element::floating && sizeof(e) == 8)  // the difference can be exact where the values are not
    return static_cast<double>(steps_between<typename Element::Bits, false>(e, a));
  const double expected = Element::value(e), actual = Element::value(a);
  return expected == actual ? 0.0 : magnitude_of(actual - expected);
}

/// Between some pairs of elements.
struct Gap {
  static constexpr int sum_count = 4;
  double sums[sum_count];  ///< of (a - e)^2, e^2, a^2, e a
  double max_error, max_expected, needed_rtol;
  uint64_t max_ulp, first_nan, first_other;
  uint64_t up[2], down[2];
  uint32_t differing, expected_nan, actual_nan, expected_inf, actual_inf;
  bool large_integers;  ///< beyond what a double holds exactly

  static constexpr Gap none() {
    Gap gap{};
    gap.first_nan = gap.first_other = DifferenceCounts::nowhere;
    return gap;
  }

  /// NaN and infinities are counted, and stay out of the sums that they would spoil.
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

  /// Everything of other pairs but the sums, whose order is the caller's.
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

}  // namespace parity::cuda
