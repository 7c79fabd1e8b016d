// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "harness/measure/difference/block.hpp"
#include "harness/measure/difference/difference.hpp"

namespace parity::measure {

/// A copy of a block in which every value is finite and every pair that the policy calls equal is equal. NaN
/// and infinities have been counted. Each pair with one is replaced by two equal values, so that it
/// contributes only the finite side's value.
template <class E>
struct RepairedBlock {
  using Bits = typename E::Bits;
  alignas(64) std::array<Bits, ElementBlock::most> expected, actual;
  /// Positions of NaN and infinities that are not accepted as equal.
  std::array<uint16_t, ElementBlock::most> nans, infinities;
  size_t nan_count = 0, infinity_count = 0;

  /// Copies a block.
  /// \param count  number of elements; zeros fill the last pack
  void copy(const std::byte* e, const std::byte* a, size_t count) {
    std::memcpy(expected.data(), e, count * E::size);
    std::memcpy(actual.data(), a, count * E::size);
    std::fill(expected.begin() + count, expected.begin() + padded(count), Bits{0});
    std::fill(actual.begin() + count, actual.begin() + padded(count), Bits{0});
    nan_count = infinity_count = 0;
  }

  void repair(const DifferencePolicy& policy, size_t count, int64_t first, DifferenceTally& t) {
    if (policy.subnormal == DifferencePolicy::Subnormal::as_zero)
      for (size_t i = 0; i < count; ++i) {
        expected[i] = static_cast<Bits>(E::is_subnormal(expected[i]) ? expected[i] & E::sign : expected[i]);
        actual[i] = static_cast<Bits>(E::is_subnormal(actual[i]) ? actual[i] & E::sign : actual[i]);
      }
    if (policy.zero_sign == DifferencePolicy::ZeroSign::ignored)
      for (size_t i = 0; i < count; ++i) {
        expected[i] = expected[i] == E::sign ? Bits{0} : expected[i];
        actual[i] = actual[i] == E::sign ? Bits{0} : actual[i];
      }
    for (size_t i = 0; i < count; ++i)
      if ((expected[i] & E::magnitude) >= E::infinite || (actual[i] & E::magnitude) >= E::infinite)
        take_out(policy, i, first, t);
  }

  static size_t padded(size_t count) {
    constexpr size_t lanes = simd::pack_bytes;  // lanes of the narrowest elements
    return (count + lanes - 1) / lanes * lanes;
  }

 private:
  void take_out(const DifferencePolicy& policy, size_t i, int64_t first, DifferenceTally& t) {
    Bits& e = expected[i];
    Bits& a = actual[i];
    const bool nan = E::is_nan(e) || E::is_nan(a), both = E::is_nan(e) && E::is_nan(a);
    const int64_t index = first + static_cast<int64_t>(i);
    t.expected_nan += E::is_nan(e);
    t.actual_nan += E::is_nan(a);
    t.expected_inf += E::is_infinite(e);
    t.actual_inf += E::is_infinite(a);
    if (nan && !(both && policy.nan == DifferencePolicy::Nan::equal_if_both)) {
      ++t.differing;
      t.first_nan = t.first_nan < 0 ? index : t.first_nan;
      nans[nan_count++] = static_cast<uint16_t>(i);
    } else if (!nan && e != a) {
      add_infinite_distance(index, E::steps(e, a), E::key(a) > E::key(e), t);
      infinities[infinity_count++] = static_cast<uint16_t>(i);
    }
    const bool finite = (e & E::magnitude) < E::infinite;
    e = a = finite ? e : Bits{0};
  }

  static void add_infinite_distance(int64_t index, Bits steps, bool higher, DifferenceTally& t) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    ++t.differing;
    t.first_other = t.first_other < 0 ? index : t.first_other;
    if (t.max_abs_error < infinity) {
      t.max_abs_error = infinity;
      t.largest = index;
    }
    t.error_squares = t.needed_rtol = infinity;
    t.max_ulp = std::max<uint64_t>(t.max_ulp, steps);
    StepSum& sum = higher ? t.up : t.down;
    sum.add(steps & 0xFFFFFFFFU, static_cast<uint64_t>(steps) >> 32);
  }
};

}  // namespace parity::measure
