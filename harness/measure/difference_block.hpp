// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "harness/measure/difference_bits.hpp"
#include "harness/measure/difference_tally.hpp"
#include "harness/measure/number.hpp"

namespace parity {

/// A block's elements as numbers that vectors convert; they need not be aligned.
template <class E>
struct NumberBlock {
  const typename E::Number* expected;
  const typename E::Number* actual;
  size_t count;
  int64_t first;  ///< flat index of the first element
};

/// Where the numbers of elements of 8 and 16 bits lie.
template <class E>
struct DecodedBlock {
  using Numbers = std::array<typename E::Number, E::is_number ? 0 : ElementBlock::most>;
  alignas(64) Numbers expected;
  alignas(64) Numbers actual;

  /// \param both  whether the actual side is wanted too
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

/// What the values of a block say, all of them finite.
template <class E, size_t width>
class BlockValues {
 public:
  explicit BlockValues(const NumberBlock<E>& block) : b_(block) {}

  /// Adds a block that holds some difference in value.
  void add(const BlockBits<E>& bits, const Ahead& next, DifferenceTally& t) const {
    struct Sums {
      One error_squares, expected_squares, actual_squares, product, max_error;
    } sums[Wide::registers];  // a register at a time, which leaves enough of them for all sums
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
    // The root of a rounded square is what was squared, where that is safe.
    const double most = safe_squares ? std::sqrt(simd::largest(max_error)) : simd::largest(max_error);
    if (quotient_bound(bits, most) > t.needed_rtol && may_exceed(bits, t.needed_rtol))
      t.needed_rtol = std::max(t.needed_rtol, largest_quotient());
    if (most > t.max_abs_error) {
      t.max_abs_error = most;
      t.largest = find_error(most);
    }
  }

  /// Adds a block whose sides have the same values: the same sums, in the same order.
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
  /// A double holds the product of two elements.
  static constexpr bool exact_products = E::size < 4 || (E::size == 4 && E::floating);
  /// The square of a difference neither under- nor overflows.
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

  /// No |a - e| / |e| is more, if it is a number: than the largest error over the smallest element; and, of
  /// normal floats, than d steps' part of a binade's 2^mantissa, since |e| = m 2^k with m in [1, 2), and
  /// - up to a whole binade, |a - e| is at most d 2^(k - mantissa) m: a step over the next power of two
  ///   counts twice, but then m is nearly 2;
  /// - up to a quarter of one, two sides in the upper halves of binades lie in the same one, where
  ///   |a - e| = d 2^(k - mantissa), and m is 1.5 or more.
  static double quotient_bound(const BlockBits<E>& bits, double max_error) {
    constexpr uint64_t binade = uint64_t{1} << E::mantissa;
    const double bound = max_error / value_of(bits.least);
    if (!E::floating || bits.least < E::least_normal || bits.most > binade)
      return is_nan(bound) ? 0 : bound;
    const auto steps = bits.most <= binade / 4 ? bits.weighed : bits.most;
    return std::min(bound, static_cast<double>(steps) / binade);
  }

  /// Whether a quotient |a - e| / |e| may be more than `known`: found with products of numbers of type Own.
  template <class Own>
  bool exceeds(double known) const {
    using Owns = simd::Pack<Own, width>;
    // Less than what is known: an error that rounds down, or a product that rounds up, must not hide a
    // larger quotient.
    const Owns rtol = Owns::all(static_cast<Own>(known * (1 - 4 * std::numeric_limits<Own>::epsilon())));
    Owns excess[2];  // two, so that one maximum need not wait for the other
    for (size_t i = 0; i < b_.count; i += 2 * Owns::lanes)
      for (size_t k = 0; k < 2; ++k) {
        const Owns e = Owns::template convert<Number>(b_.expected + i + k * Owns::lanes);
        const Owns error = absolute(Owns::template convert<Number>(b_.actual + i + k * Owns::lanes) - e);
        excess[k] = larger(error - rtol * absolute(e), excess[k]);
      }
    return simd::largest(larger(excess[0], excess[1])) > 0;
  }
  /// The same, and true where no such product tells: where one would round to a subnormal.
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
      most = larger(error / absolute(e), most);  // 0 / 0 is NaN, and does not count
    }
    return simd::largest(most);
  }

  /// The first element whose values lie that far apart.
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

}  // namespace parity
