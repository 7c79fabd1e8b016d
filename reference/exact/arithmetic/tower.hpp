// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/hash.hpp"
#include "reference/exact/arithmetic/field.hpp"

namespace parity::reference::exact {

/// How a constant of a program becomes a number of the field.
enum class Constants {
  binary,    ///< the double that it is
  decimal,   ///< the shortest decimal that rounds to it, in float32 if it is a float32
  fraction,  ///< a fraction of small whole numbers that rounds to it, as 1/3 does; without one, the decimal
};

/// A keyed hash of elements of level 0 as elements of a level; an uninterpreted function.
class Hash {
 public:
  Hash(uint64_t key, const Field& field)
      : key_(key), field_(field), unused_bits_(std::countl_zero(field.prime()) + 1) {}

  uint64_t operator()(uint64_t x) const {
    const uint64_t high = splitmix64(key_ ^ splitmix64(x + 0x632BE59BD9B4E019U)),
                   low = splitmix64(high ^ key_);
    return field_.reduce(static_cast<Wide>(high >> unused_bits_) << 64U | low);
  }

 private:
  uint64_t key_;
  Field field_;
  int unused_bits_;  ///< so that the bits of a hash are a number below 2^64 p
};

/// Fields whose primes divide each other's groups: p_{i+1} divides p_i - 1. So
///
///   exp(x at level i + 1) = g_i^x at level i,   g_i of order p_{i+1} modulo p_i
///
/// obeys exp(a + b) = exp(a) exp(b). Each exponential uses up one level.
/// Every prime is 3 modulo 4, so that x -> x^((p+1)/4) is a square root of the half of the numbers that have
/// one, and is multiplicative on all.
class Tower {
 public:
  /// Draws the primes. p_0 has 60 or 61 bits; each further prime has a few bits less.
  /// \param key     of the draw; the same key gives the same tower
  /// \param levels  1 to 4
  /// \param bits    of the largest prime at most; fewer show how often numbers are equal by accident
  Tower(uint64_t key, int64_t levels, Constants constants = Constants::binary, int bits = 61);

  int64_t levels() const { return static_cast<int64_t>(fields_.size()); }
  const Field& field(int64_t level) const { return fields_[static_cast<size_t>(level)]; }

  /// Returns g_level^x. \param x  an element of level + 1
  uint64_t exp(int64_t level, uint64_t x) const;
  /// Returns x^((p_0 - 1) / p_1): the part of x in the image of exp, where every root is unique.
  uint64_t project(uint64_t x) const;

  /// Returns a finite double as an element of a level.
  uint64_t constant(int64_t level, double value) const;
  /// Returns the hash that a function's name draws.
  Hash hash(int64_t level, uint64_t function) const;
  uint64_t hash(int64_t level, uint64_t function, uint64_t x) const { return hash(level, function)(x); }

 private:
  /// Powers of a generator by the bytes of the exponent.
  using Powers = std::array<std::array<uint64_t, 256>, 8>;

  uint64_t key_;
  Constants constants_;
  std::vector<Field> fields_;
  std::vector<Powers> powers_;                 ///< of g_i
  std::vector<std::vector<uint64_t>> two_to_;  ///< [level][e + offset]: 2^e
};

/// Sets the tower that all arithmetic of this process uses.
void set_tower(Tower tower);
const Tower& tower();

/// Returns whether a number is prime.
bool is_prime(uint64_t number);

}  // namespace parity::reference::exact
