// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "harness/measure/difference/bits.hpp"
#include "harness/measure/difference/tally.hpp"
#include "harness/measure/lanes/number.hpp"

namespace parity::measure {

/// A block's elements as numbers that vector instructions convert; they need not be aligned.
template <class E>
struct NumberBlock {
  const typename E::Number* expected;
  const typename E::Number* actual;
  size_t count;
  int64_t first;  ///< flat index of the first element
};

/// Storage for the decoded numbers of 8-bit and 16-bit elements.
template <class E>
struct DecodedBlock {
  using Numbers = std::array<typename E::Number, E::is_number ? 0 : ElementBlock::most>;
  alignas(64) Numbers expected;
  alignas(64) Numbers actual;

  /// Returns a block's elements as numbers. \param both  whether to decode the actual side too
  NumberBlock<E> decode(const ElementBlock& b, bool both) {
    using Number = typename E::Number;
    if constexpr (E::is_number)
      return {(const Number*)b.expected, (const Number*)b.actual, b.count, b.first};
    E::decode(b.expected, b.count, expected.data());
    if (both)
      E::decode(b.actual, b.count, actual.data());
    return {expected.data(), actual.data(), b.count, b.first};
  }
};

/// Measures the values of a block, all of them finite.
template <class E, size_t width>
class BlockValues {
 public:
  explicit BlockValues(const NumberBlock<E>& block) : b_(block) {}

  /// Adds a block in which some value differs.
  void add(const BlockBits<E>& bits, const Ahead& next, DifferenceTally& t) const {
    struct Sums {
      One error_squares, expected_squares, actual_squares, product, max_error;
    } sums[Wide::registers];  // per register, so that all sums fit in registers
    for (size_t i = 0; i < b_.count; i += simd::wide) {
      next.fetch_actual(i);
      simd::for_each_register<Wide::registers>([&](auto r) {
        const size_t at = i + r * One::lanes;
        const One e = One::template convert<Number>(b_.expected + at);
        const One a = One::template convert<Number>(b_.actual + at), gap = a - e, square = gap * gap;
        Sums& s = sums[r];
        s.error_squares += square;
        s.expected_squares = add_product(s.expected_squares, e, e);
        s.actual_squares = add_product(s.actual_squares, a, a);
        s.product = add_product(s.product, e, a);
        s.max_error = larger(safe_squares ? square : absolute(gap), s.max_error);
      });
    }
    const auto all = [&](One Sums::* one) {
      Wide wide;
      simd::for_each_register<Wide::registers>([&](auto r) { wide.part[r] = (sums[r].*one).part[0]; });
      return wide;
    };
    t.error_squares += simd::sum(all(&Sums::error_squares));
    t.expected_squares += simd::sum(all(&Sums::expected_squares));
    t.actual_squares += simd::sum(all(&Sums::actual_squares));
    t.product += simd::sum(all(&Sums::product));
    const Wide max_error = all(&Sums::max_error);
    t.max_expected = std::max(t.max_expected, value_of(bits.top));
    // The square root of a rounded square is exact for safe squares.
    const double most = safe_squares ? std::sqrt(simd::largest(max_error)) : simd::largest(max_error);
    if (quotient_bound(bits, most) > t.needed_rtol && may_exceed(bits, t.needed_rtol))
      t.needed_rtol = std::max(t.needed_rtol, largest_quotient());
    if (most > t.max_abs_error) {
      t.max_abs_error = most;
      t.largest = find_error(most);
    }
  }

  /// Adds a block whose sides have equal values: the same sums, in the same order.
  void add_equal(const BlockBits<E>& bits, const Ahead& next, DifferenceTally& t) const {
    Wide squares;
    for (size_t i = 0; i < b_.count; i += simd::wide) {
      next.fetch_actual(i);
      const Wide e = expected(i);
      squares = add_product(squares, e, e);
    }
    const double sum = simd::sum(squares);
    t.expected_squares += sum;
    t.actual_squares += sum;
    t.product += sum;
    t.max_expected = std::max(t.max_expected, value_of(bits.top));
  }

 private:
  using Number = typename E::Number;
  using Wide = simd::WideDoubles<width>;
  using One = simd::Pack<double, width, width>;
  /// Whether a double holds the product of two elements exactly.
  static constexpr bool exact_products = E::size < 4 || (E::size == 4 && E::floating);
  /// Whether the square of a difference neither underflows nor overflows.
  static constexpr bool safe_squares = E::size <= 4;

  Wide expected(size_t i) const { return Wide::template convert<Number>(b_.expected + i); }
  Wide actual(size_t i) const { return Wide::template convert<Number>(b_.actual + i); }

  template <class Doubles>
  static Doubles add_product(const Doubles& sum, const Doubles& x, const Doubles& y) {
    if constexpr (exact_products)
      return add_exact_product(sum, x, y);
    return sum + x * y;
  }
  static double value_of(typename E::Bits magnitude) {
    return magnitude_of(static_cast<double>(E::number(magnitude)));
  }

  /// Returns an upper bound of |a - e| / |e| over the pairs for which it is a number. One bound is the
  /// largest error over the smallest element. For normal floats d steps give another bound, relative to the
  /// 2^mantissa steps of a binade. Here |e| = m 2^k with m in [1, 2):
  /// - For d up to a whole binade, |a - e| is at most d 2^(k - mantissa) m. A step over the next power of two
  ///   counts twice, but then m is nearly 2.
  /// - For d up to a quarter of a binade, two sides in the upper halves of binades lie in the same binade.
  ///   Then |a - e| = d 2^(k - mantissa), and m is 1.5 or more.
  static double quotient_bound(const BlockBits<E>& bits, double max_error) {
    constexpr uint64_t binade = uint64_t{1} << E::mantissa;
    const double bound = max_error / value_of(bits.least);
    if (!E::floating || bits.least < E::least_normal || bits.most > binade)
      return is_nan(bound) ? 0 : bound;
    const auto steps = bits.most <= binade / 4 ? bits.weighed : bits.most;
    return std::min(bound, static_cast<double>(steps) / binade);
  }

  /// Returns whether a quotient |a - e| / |e| may exceed `known`, from products of numbers of type Own.
  template <class Own>
  bool exceeds(double known) const {
    using Owns = simd::Pack<Own, width>;
    // Slightly less than `known`: an error rounded down, or a product rounded up, must not hide a larger
    // quotient.
    const Owns rtol = Owns::all(static_cast<Own>(known * (1 - 4 * std::numeric_limits<Own>::epsilon())));
    Owns excess[2];  // two, so that the maxima do not wait for each other
    for (size_t i = 0; i < b_.count; i += 2 * Owns::lanes)
      for (size_t k = 0; k < 2; ++k) {
        const Owns e = Owns::template convert<Number>(b_.expected + i + k * Owns::lanes);
        const Owns error = absolute(Owns::template convert<Number>(b_.actual + i + k * Owns::lanes) - e);
        excess[k] = larger(error - rtol * absolute(e), excess[k]);
      }
    return simd::largest(larger(excess[0], excess[1])) > 0;
  }
  /// Returns the same, and true if a product would round to a subnormal, so that products cannot show it.
  bool may_exceed(const BlockBits<E>& bits, double known) const {
    const double least_product = known * std::min(1.0, value_of(bits.least));
    if constexpr (std::is_same_v<Number, float>)  // half as much work
      if (least_product >= 2 * std::numeric_limits<float>::min() &&
          known <= std::numeric_limits<float>::max())
        return exceeds<float>(known);
    return least_product < 2 * std::numeric_limits<double>::min() || exceeds<double>(known);
  }

  double largest_quotient() const {
    Wide most;
    for (size_t i = 0; i < b_.count; i += simd::wide) {
      const Wide e = expected(i), error = absolute(actual(i) - e);
      most = larger(error / absolute(e), most);  // 0 / 0 is NaN and is ignored
    }
    return simd::largest(most);
  }

  /// Returns the flat index of the first element with this distance.
  int64_t find_error(double wanted) const {
    for (size_t i = 0; i < b_.count; i += simd::wide) {
      const auto errors = absolute(actual(i) - expected(i)).values();
      if (const auto* at = std::find(errors.begin(), errors.end(), wanted); at != errors.end())
        return b_.first + static_cast<int64_t>(i) + (at - errors.begin());
    }
    return -1;
  }

  NumberBlock<E> b_;
};

}  // namespace parity::measure
