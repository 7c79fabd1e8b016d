// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::reference {

/// Scrambles 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood 2014). A bijection.
constexpr uint64_t scramble(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A SplitMix64 stream of integers, so that data do not depend on LibTorch's generator.
class IntegerStream {
 public:
  /// Streams with different (seed, purpose, index) are independent.
  constexpr IntegerStream(uint64_t seed, uint64_t purpose, uint64_t index = 0)
      : state_(scramble(scramble(scramble(seed + increment) + purpose + increment) + index + increment)) {}

  constexpr uint64_t next() { return scramble(state_ += increment); }

  /// Returns a uniform number in [0, bound), by the high half of a 128-bit product; bias below bound / 2^64.
  constexpr uint64_t below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

 private:
  static constexpr uint64_t increment = 0x9e3779b97f4a7c15ULL;
  uint64_t state_;
};

}  // namespace parity::reference
