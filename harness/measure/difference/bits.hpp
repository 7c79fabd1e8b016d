// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "harness/measure/lanes/element.hpp"

namespace parity::measure {

/// A block of elements of both sides. It is a whole number of packs; zeros on both sides fill the last one.
struct ElementBlock {
  /// Most elements in a block. Both sides, also decoded, fit the first-level cache.
  static constexpr size_t most = 1024;
  const std::byte* expected;
  const std::byte* actual;
  size_t count;
  int64_t first;  ///< flat index of the first element
};

/// Prefetches the next block while the current one is processed. Each of the two passes over a block
/// prefetches one side: requesting all memory at once would not make it arrive sooner.
struct Ahead {
  const std::byte* expected;
  const std::byte* actual;
  size_t element;  ///< size of an element [bytes]

  void fetch_expected(size_t i) const { __builtin_prefetch(expected + i * element); }
  void fetch_actual(size_t i) const { __builtin_prefetch(actual + i * element); }
};

/// What a comparison of a block's bits found.
template <class E>
struct BlockBits {
  using Bits = typename E::Bits;
  /// No float is infinite or NaN; a double holds each int64 exactly.
  bool regular = true;
  uint64_t differing = 0;  ///< elements with different bits
  Bits most = 0;           ///< largest distance [steps]
  /// Like `most`, but with 3/4 of the steps of pairs that both lie at 1.5 times a power of two or above.
  Bits weighed = 0;
  Bits top = 0;                                   ///< largest magnitude of the expected side
  Bits least = std::numeric_limits<Bits>::max();  ///< its smallest magnitude among differing elements
  /// Sums of the steps upwards, as low and high halves that StepSum::add accepts.
  uint64_t up[2] = {0, 0};
  uint64_t down[2] = {0, 0};
};

/// Sums unsigned lanes, in halves that cannot overflow over a block.
template <class Bits, size_t width>
class HalfSums {
 public:
  void add(const simd::Pack<Bits, width, width>& lanes) {
    const auto halves = simd::cast<Half>(lanes);
    low_ += halves & Halves::all(mask);
    high_ += Halves::map(halves, halves, [](auto x, auto) { return x >> bits; });
  }
  /// Stores the low and high halves that StepSum::add accepts.
  void store(uint64_t* low_high) const {
    const uint64_t low = simd::sum(low_), high = simd::sum(high_);
    low_high[0] = sizeof(Bits) == 4 ? low + (high << bits) : sizeof(Bits) < 4 ? low + high : low;
    low_high[1] = sizeof(Bits) == 8 ? high : 0;
  }

 private:
  /// Narrow lanes are summed two at a time: their halves are two elements.
  using Half = std::conditional_t<sizeof(Bits) == 8, uint64_t,
                                  std::conditional_t<sizeof(Bits) == 1, uint16_t, uint32_t>>;
  using Halves = simd::Pack<Half, width, width>;
  static constexpr int bits = 4 * sizeof(Half);
  static constexpr Half mask = static_cast<Half>((Half{1} << bits) - 1);
  static_assert(ElementBlock::most / Halves::lanes * mask <= std::numeric_limits<Half>::max());

  Halves low_ = Halves::zero(), high_ = Halves::zero();
};

/// A block's elements as lanes of bits.
template <class E, size_t width>
struct BitLanes {
  using Bits = typename E::Bits;
  using Words = simd::Pack<Bits, width, width>;  // sums and extremes of integers have no order
  using Numbers = simd::Pack<typename E::Signed, width, width>;

  static constexpr auto differ = [](auto x, auto y) { return x != y; };
  /// Returns whether two floats both lie in the upper half between two powers of two, not necessarily the
  /// same two.
  static constexpr auto both_large = [](auto x, auto y) {
    return (x & y & static_cast<Bits>((Bits{1} << E::mantissa) / 2)) != 0;
  };
  static constexpr auto below_zero = [](auto x, auto) { return (typename Numbers::Register)x < 0; };

  /// Returns |x| of signed numbers, as unsigned numbers, which also hold that of the smallest one.
  static Words absolute(const Words& x) {
    const Words opposite = Words::zero() - x;
    return simd::cast<Bits>(
        larger(simd::cast<typename E::Signed>(x), simd::cast<typename E::Signed>(opposite)));
  }
  /// Returns |x|; for floats as bits.
  static Words magnitude(const Words& x) {
    if constexpr (E::floating)
      return x & Words::all(E::magnitude);
    return E::has_sign ? absolute(x) : x;
  }
  /// Returns all ones in lanes where x is below zero.
  static Words minus(const Words& x) { return Words::choose(below_zero, x, x, Words::ones(), Words::zero()); }
  static Words quarter(const Words& x) {
    return Words::map(x, x, [](auto y, auto) { return y >> 2; });
  }
  /// Returns positions on the number line.
  static simd::Pack<typename E::Key, width, width> key(const Words& x) {
    if constexpr (!E::floating)
      return simd::cast<typename E::Key>(x);
    return simd::cast<typename E::Key>((magnitude(x) ^ minus(x)) - minus(x));
  }
};

/// Results that both comparison methods collect.
template <class E, size_t width>
struct GatheredBits {
  using Lanes = BitLanes<E, width>;
  using Words = typename Lanes::Words;
  Words most = Words::zero(), top = Words::zero(), differing = Words::zero();
  Words least = Words::ones();

  void add(const Words& e, const Words& a, const Words& steps) {
    const Words size = Lanes::magnitude(e);
    most = larger(most, steps);
    top = larger(top, size);
    least = Words::choose(Lanes::differ, e, a, smaller(least, size), least);
    differing = Words::choose(Lanes::differ, e, a, differing + Words::all(1), differing);
  }
  BlockBits<E> take() const {
    BlockBits<E> found;
    found.differing = simd::sum(differing);
    found.most = simd::largest(most);
    found.top = simd::largest(top);
    found.least = simd::smallest(least);
    return found;
  }
};

/// Largest distance [steps] that a lane can sum, with a sign, over a block. For 64-bit elements twice the sum
/// of all lanes fits.
template <class E, size_t width>
constexpr uint64_t close_steps =
    E::magnitude / (E::size == 8 ? 2 * ElementBlock::most : ElementBlock::most * E::size / width);

/// Compares sides that are close together, as most are. No element differs in sign from its counterpart (for
/// integers: the subtraction does not overflow), and none is more than `close_steps` from it. Steps are then
/// differences of bits, and plain lanes hold their sums.
/// \return nothing if the sides are not that close, or may not be regular
template <class E, size_t width>
std::optional<BlockBits<E>> compare_close(const ElementBlock& b, const Ahead& next) {
  using Lanes = BitLanes<E, width>;
  using Words = typename Lanes::Words;
  GatheredBits<E, width> gathered;
  Words crossed = Words::zero(), steps_sum = crossed, gap_sum = crossed, mirrored = crossed,
        weighed = crossed;
  for (size_t i = 0; i < b.count; i += Words::lanes) {
    next.fetch_expected(i);
    const Words e = Words::load(b.expected + i * E::size), a = Words::load(b.actual + i * E::size);
    const Words gap = a - e, steps = Lanes::absolute(gap);
    crossed = crossed | (E::floating || !E::has_sign ? e ^ a : (e ^ a) & (gap ^ a));
    gathered.add(e, a, steps);
    steps_sum += steps;
    gap_sum += gap;
    if constexpr (E::floating) {  // below zero a larger magnitude is lower
      mirrored = Words::choose(Lanes::below_zero, e, e, mirrored + gap, mirrored);
      weighed = larger(weighed, Words::choose(Lanes::both_large, e, a, steps - Lanes::quarter(steps), steps));
    }
  }
  BlockBits<E> found = gathered.take();
  if (simd::largest(crossed) >= E::sign || found.most > close_steps<E, width> ||
      uint64_t{found.top} + found.most >= E::irregular)
    return {};
  found.weighed = simd::largest(weighed);
  const auto total = static_cast<int64_t>(simd::sum(steps_sum));
  const int64_t rise = simd::sum(simd::cast<typename E::Signed>(gap_sum)) -
                       2 * simd::sum(simd::cast<typename E::Signed>(mirrored));
  found.up[0] = static_cast<uint64_t>((total + rise) / 2);
  found.down[0] = static_cast<uint64_t>((total - rise) / 2);
  return found;
}

/// Compares any two sides.
template <class E, size_t width>
BlockBits<E> compare_far(const ElementBlock& b, const Ahead& next) {
  using Lanes = BitLanes<E, width>;
  using Words = typename Lanes::Words;
  GatheredBits<E, width> gathered;
  HalfSums<typename E::Bits, width> up, down;
  // Largest magnitude of both sides; one less for negative integers.
  Words top = Words::zero();
  for (size_t i = 0; i < b.count; i += Words::lanes) {
    next.fetch_expected(i);
    const Words e = Words::load(b.expected + i * E::size), a = Words::load(b.actual + i * E::size);
    if constexpr (E::floating)
      top = larger(top, larger(Lanes::magnitude(e), Lanes::magnitude(a)));
    else if constexpr (E::size == 8)
      top = larger(top, larger(e ^ Lanes::minus(e), a ^ Lanes::minus(a)));
    const auto from = Lanes::key(e), to = Lanes::key(a);
    const Words higher = simd::cast<typename E::Bits>(larger(from, to));
    const Words above = higher - simd::cast<typename E::Bits>(from);
    const Words below = higher - simd::cast<typename E::Bits>(to);
    gathered.add(e, a, larger(above, below));
    up.add(above);
    down.add(below);
  }
  BlockBits<E> found = gathered.take();
  found.weighed = found.most;
  found.regular = simd::largest(top) < E::irregular;
  up.store(found.up);
  down.store(found.down);
  return found;
}

/// Reads sides that have the same bits.
/// \return nothing if they may not be regular
template <class E, size_t width>
std::optional<BlockBits<E>> read_same(const ElementBlock& b, const Ahead& next) {
  using Lanes = BitLanes<E, width>;
  using Words = typename Lanes::Words;
  Words top = Words::zero();
  for (size_t i = 0; i < b.count; i += Words::lanes) {
    next.fetch_expected(i);
    top = larger(top, Lanes::magnitude(Words::load(b.expected + i * E::size)));
  }
  BlockBits<E> found;
  found.top = simd::largest(top);
  return found.top < E::irregular ? std::optional(found) : std::nullopt;
}

/// Compares a block by the cheapest applicable method.
/// \param far  whether the sides of the block before were far apart; updated
template <class E, size_t width>
BlockBits<E> compare_bits(const ElementBlock& b, const Ahead& next, bool& far) {
  if (std::memcmp(b.expected, b.actual, b.count * E::size) == 0) {
    if (const auto same = read_same<E, width>(b, next))
      return *same;
  } else if (!far) {
    if (const auto close = compare_close<E, width>(b, next))
      return *close;
  }
  const BlockBits<E> found = compare_far<E, width>(b, next);
  far = found.most > close_steps<E, width>;
  return found;
}

}  // namespace parity::measure
