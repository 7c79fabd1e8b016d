// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace parity::reference::exact {

__extension__ using Wide = unsigned __int128;  ///< products of two elements

/// Integers modulo a prime p, 2 < p < 2^61. Elements are 0 to p - 1.
/// Division by p: Moeller and Granlund, "Improved division by invariant integers", IEEE Trans. Computers
/// 2011.
class Field {
 public:
  explicit constexpr Field(uint64_t prime)
      : prime_(prime),
        shift_(std::countl_zero(prime)),
        divisor_(prime << shift_),
        reciprocal_(static_cast<uint64_t>(~static_cast<Wide>(0) / divisor_)) {}

  constexpr uint64_t prime() const { return prime_; }

  constexpr uint64_t add(uint64_t a, uint64_t b) const {
    const uint64_t sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  constexpr uint64_t sub(uint64_t a, uint64_t b) const { return a >= b ? a - b : a + prime_ - b; }
  constexpr uint64_t neg(uint64_t a) const { return a == 0 ? 0 : prime_ - a; }
  constexpr uint64_t mul(uint64_t a, uint64_t b) const { return reduce(static_cast<Wide>(a) * b); }

  /// Returns x mod p. \param x  less than p 2^64
  constexpr uint64_t reduce(Wide x) const {
    x <<= shift_;
    const auto high = static_cast<uint64_t>(x >> 64), low = static_cast<uint64_t>(x);
    const Wide quotient = static_cast<Wide>(reciprocal_) * high + x;
    uint64_t rest = low - (static_cast<uint64_t>(quotient >> 64) + 1) * divisor_;
    rest +=
        divisor_ & (uint64_t{0} - (rest > static_cast<uint64_t>(quotient)));  // no branch: it is a coin flip
    if (rest >= divisor_) [[unlikely]]
      rest -= divisor_;
    return rest >> shift_;
  }

  /// Returns x mod p of any x.
  constexpr uint64_t reduce_any(Wide x) const {
    const uint64_t high = reduce(x >> 64);
    return reduce(static_cast<Wide>(high) << 64 | static_cast<uint64_t>(x));
  }

  constexpr uint64_t power(uint64_t base, uint64_t exponent) const {
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base = mul(base, base))
      if ((exponent & 1) != 0)
        result = mul(result, base);
    return result;
  }
  /// Returns 1 / a; 0 for 0.
  constexpr uint64_t inverse(uint64_t a) const { return power(a, prime_ - 2); }

 private:
  uint64_t prime_;
  int shift_;
  uint64_t divisor_;
  uint64_t reciprocal_;
};

/// Products in Montgomery's form: x stands for x 2^64 modulo p. Elements are below 2 p, in any form.
/// Source: Montgomery, "Modular multiplication without trial division", Math. Comp. 44 (1985).
class Montgomery {
 public:
  explicit constexpr Montgomery(const Field& field) : prime_(field.prime()), inverse_(prime_) {
    for (int i = 0; i < 5; ++i)
      inverse_ *= 2 - prime_ * inverse_;
    const uint64_t radix = field.reduce(static_cast<Wide>(1) << 64);
    radix_squared_ = field.mul(radix, radix);
  }

  constexpr uint64_t mul(uint64_t a, uint64_t b) const {
    const Wide product = static_cast<Wide>(a) * b;
    const uint64_t multiple = static_cast<uint64_t>(product) * inverse_;
    return static_cast<uint64_t>(product >> 64) + prime_ -
           static_cast<uint64_t>(static_cast<Wide>(multiple) * prime_ >> 64);
  }
  constexpr uint64_t into(uint64_t a) const { return mul(a, radix_squared_); }
  constexpr uint64_t out_of(uint64_t a) const { return mul(a, 1) % prime_; }

 private:
  uint64_t prime_;
  uint64_t inverse_;  ///< 1 / p modulo 2^64
  uint64_t radix_squared_ = 0;
};

}  // namespace parity::reference::exact
