// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/difference_tally.hpp"
#include "harness/measure/element.hpp"

namespace parity {

/// Both sides of some elements in which each value is finite. A whole number of packs: zeros on both sides
/// fill the last one.
struct FiniteBlock {
  static constexpr size_t most = 1024;  ///< elements; both sides, widened too, fit the first-level cache
  const std::byte* expected;
  const std::byte* actual;
  size_t count;
  int64_t first;  ///< flat index of the first element
};

/// The same as doubles.
struct WideBlock {
  alignas(64) double expected[FiniteBlock::most];
  alignas(64) double actual[FiniteBlock::most];
  size_t count;
  int64_t first;
};

/// The block after this one: asked for from memory while this one is worked on.
struct Ahead {
  const std::byte* expected;
  const std::byte* actual;
  size_t element;

  void fetch(size_t i) const {
    __builtin_prefetch(expected + i * element);
    __builtin_prefetch(actual + i * element);
  }
};

/// What the bits of a block say.
template <class E>
struct BlockBits {
  typename E::Bits most = 0;  ///< steps
  typename E::Bits top = 0;   ///< largest magnitude of either side; only of what has a sign
  uint64_t differing = 0;     ///< elements
  uint64_t up[2] = {0, 0};    ///< sums of steps: low and high halves, as StepSum::add takes them
  uint64_t down[2] = {0, 0};
};

/// Sums of unsigned lanes, in halves that cannot overflow over a block.
template <class Bits, size_t width>
class HalfSums {
 public:
  void add(const simd::Pack<Bits, width>& lanes) {
    const auto halves = simd::cast<Half>(lanes);
    low_ += halves & Halves::all(mask);
    high_ += Halves::map(halves, halves, [](auto x, auto) { return x >> bits; });
  }
  /// What StepSum::add takes.
  void store(uint64_t* low_high) const {
    const uint64_t low = total(low_), high = total(high_);
    low_high[0] = sizeof(Bits) == 4 ? low + (high << bits) : sizeof(Bits) < 4 ? low + high : low;
    low_high[1] = sizeof(Bits) == 8 ? high : 0;
  }

 private:
  /// Narrow lanes are taken two at a time: their halves are two elements.
  using Half = std::conditional_t<sizeof(Bits) == 8, uint64_t,
                                  std::conditional_t<sizeof(Bits) == 1, uint16_t, uint32_t>>;
  using Halves = simd::Pack<Half, width>;
  static constexpr int bits = 4 * sizeof(Half);
  static constexpr Half mask = static_cast<Half>((Half{1} << bits) - 1);
  static_assert(FiniteBlock::most / Halves::lanes * mask <= std::numeric_limits<Half>::max());

  static uint64_t total(const Halves& halves) {
    uint64_t sum = 0;
    for (const Half each : halves.values())
      sum += each;
    return sum;
  }

  Halves low_ = Halves::zero(), high_ = Halves::zero();
};

/// Each element's place on the number line, as lanes of E::Key.
template <class E, size_t width>
simd::Pack<typename E::Key, width> keys_of(const simd::Pack<typename E::Bits, width>& bits) {
  using Bits = typename E::Bits;
  using Words = simd::Pack<Bits, width>;
  if constexpr (!E::floating) {
    return simd::cast<typename E::Key>(bits);
  } else {
    const auto numbers = simd::cast<typename E::Signed>(bits);
    Words minus;  // all ones where the sign is set
    for (size_t r = 0; r < minus.registers; ++r)
      minus.part[r] = (typename Words::Register)(numbers.part[r] < 0);
    return simd::cast<typename E::Key>(((bits & Words::all(E::magnitude)) ^ minus) - minus);
  }
}

/// Magnitudes as far as `top` needs them: of a negative integer one less.
template <class E, size_t width>
simd::Pack<typename E::Bits, width> magnitudes_of(const simd::Pack<typename E::Bits, width>& bits) {
  using Words = simd::Pack<typename E::Bits, width>;
  if constexpr (E::floating)
    return bits & Words::all(E::magnitude);
  const auto numbers = simd::cast<typename E::Signed>(bits);
  Words minus;
  for (size_t r = 0; r < minus.registers; ++r)
    minus.part[r] = (typename Words::Register)(numbers.part[r] < 0);
  return bits ^ minus;
}

template <class E, size_t width>
BlockBits<E> compare_bits(const std::byte* expected, const std::byte* actual, size_t count) {
  using Words = simd::Pack<typename E::Bits, width>;
  Words most = Words::zero(), top = Words::zero(), differing = Words::zero();
  HalfSums<typename E::Bits, width> up, down;
  for (size_t i = 0; i < count; i += Words::lanes) {
    const Words e = Words::load(expected + i * E::size), a = Words::load(actual + i * E::size);
    if constexpr (E::floating || E::size == 8)
      top = larger(top, larger(magnitudes_of<E, width>(e), magnitudes_of<E, width>(a)));
    const auto from = keys_of<E, width>(e), to = keys_of<E, width>(a);
    const Words higher = simd::cast<typename E::Bits>(larger(from, to));
    const Words above = higher - simd::cast<typename E::Bits>(from);
    const Words below = higher - simd::cast<typename E::Bits>(to);
    most = larger(most, larger(above, below));
    up.add(above);
    down.add(below);
    for (size_t r = 0; r < differing.registers; ++r)  // a comparison gives -1 where it holds
      differing.part[r] -= (typename Words::Register)(e.part[r] != a.part[r]);
  }
  BlockBits<E> found;
  found.most = simd::largest(most);
  found.top = simd::largest(top);
  for (const auto lane : differing.values())
    found.differing += lane;
  up.store(found.up);
  down.store(found.down);
  return found;
}

/// The smallest rtol with which each element of a block passes, if it is more than `known`.
template <size_t width>
double needed_rtol(const WideBlock& b, double known) {
  using Wide = simd::WideDoubles<width>;
  Wide most = Wide::all(known);
  for (size_t i = 0; i < b.count; i += simd::wide) {
    const Wide e = Wide::load(b.expected + i), gap = Wide::load(b.actual + i) - e;
    most = larger(absolute(gap) / absolute(e), most);  // 0 / 0 is NaN, and does not count
  }
  return simd::largest(most);
}

/// The first element of a block whose values lie that far apart.
template <size_t width>
int64_t find_error(const WideBlock& b, double error) {
  using Wide = simd::WideDoubles<width>;
  for (size_t i = 0; i < b.count; i += simd::wide) {
    const auto errors = absolute(Wide::load(b.actual + i) - Wide::load(b.expected + i)).values();
    if (const auto* at = std::find(errors.begin(), errors.end(), error); at != errors.end())
      return b.first + static_cast<int64_t>(i) + (at - errors.begin());
  }
  return -1;
}

/// Sums over the values of a block that holds some difference in value.
/// \param next  what is looked at after this block
template <size_t width>
void add_values(const WideBlock& b, const Ahead& next, DifferenceTally& t) {
  using Wide = simd::WideDoubles<width>;
  Wide error_squares, expected_squares, actual_squares, product, max_error, max_expected, excess;
  // A little less than what is known: a product that rounds up must not hide a larger quotient.
  const Wide rtol = Wide::all(t.needed_rtol * (1 - 0x1p-51));
  for (size_t i = 0; i < b.count; i += simd::wide) {
    next.fetch(i);
    const Wide e = Wide::load(b.expected + i), a = Wide::load(b.actual + i);
    const Wide gap = a - e;
    const Wide error = absolute(gap), size = absolute(e);
    error_squares += gap * gap;
    expected_squares += e * e;
    actual_squares += a * a;
    product += e * a;
    max_error = larger(error, max_error);
    max_expected = larger(size, max_expected);
    excess = larger(error - rtol * size, excess);
  }
  t.error_squares += simd::sum(error_squares);
  t.expected_squares += simd::sum(expected_squares);
  t.actual_squares += simd::sum(actual_squares);
  t.product += simd::sum(product);
  t.max_expected = std::max(t.max_expected, simd::largest(max_expected));
  if (simd::largest(excess) > 0)
    t.needed_rtol = needed_rtol<width>(b, t.needed_rtol);
  if (const double most = simd::largest(max_error); most > t.max_abs_error) {
    t.max_abs_error = most;
    t.largest = find_error<width>(b, most);
  }
}

/// Of a block whose sides have the same values: the same sums, in the same order.
template <size_t width>
void add_equal_values(const WideBlock& b, const Ahead& next, DifferenceTally& t) {
  using Wide = simd::WideDoubles<width>;
  Wide squares, most;
  for (size_t i = 0; i < b.count; i += simd::wide) {
    next.fetch(i);
    const Wide e = Wide::load(b.expected + i);
    squares += e * e;
    most = larger(absolute(e), most);
  }
  const double sum = simd::sum(squares);
  t.expected_squares += sum;
  t.actual_squares += sum;
  t.product += sum;
  t.max_expected = std::max(t.max_expected, simd::largest(most));
}

}  // namespace parity
