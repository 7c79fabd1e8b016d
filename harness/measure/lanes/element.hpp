// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <iterator>
#include <string>
#include <type_traits>

#include "harness/base/error.hpp"
#include "harness/measure/lanes/pack.hpp"
#include "harness/tensor/dtype.hpp"

namespace parity::measure {

/// How kernels see the elements of one dtype.
template <DType dtype>
struct Element {
  static constexpr size_t size = size_of(dtype);
  static constexpr bool floating = is_floating(dtype);
  using Bits = std::conditional_t<
      size == 8, uint64_t,
      std::conditional_t<size == 4, uint32_t, std::conditional_t<size == 2, uint16_t, uint8_t>>>;
  using Signed = std::make_signed_t<Bits>;
  static constexpr bool has_sign = dtype != DType::uint8 && dtype != DType::bool8;
  /// Integer type in which elements are ordered and their distances counted (M1).
  using Key = std::conditional_t<has_sign, Signed, Bits>;

  static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * size - 1));
  static constexpr Bits magnitude = static_cast<Bits>(~sign);

  /// Stored bits of the significand.
  static constexpr int mantissa = dtype == DType::float64         ? 52
                                  : dtype == DType::float32       ? 23
                                  : dtype == DType::bfloat16      ? 7
                                  : dtype == DType::float16       ? 10
                                  : dtype == DType::float8_e4m3fn ? 3
                                  : dtype == DType::float8_e5m2   ? 2
                                                                  : 0;
  /// Smallest magnitude that is infinite or NaN; for e4m3fn, which has no infinity, that of NaN.
  static constexpr Bits infinite = !floating ? Bits{0}
                                   : dtype == DType::float8_e4m3fn
                                       ? magnitude
                                       : static_cast<Bits>(magnitude >> mantissa << mantissa);
  static constexpr bool has_infinity = floating && dtype != DType::float8_e4m3fn;
  /// Smallest magnitude that sums over doubles cannot handle: infinity, NaN, or an integer that a double may
  /// not hold.
  static constexpr uint64_t irregular = floating ? uint64_t{infinite} : (uint64_t{1} << 53) + 1;
  /// Smallest magnitude that is neither subnormal nor zero.
  static constexpr Bits least_normal = static_cast<Bits>(Bits{floating} << mantissa);

  static bool is_nan(Bits bits) { return floating && (bits & magnitude) >= infinite && !is_infinite(bits); }
  static bool is_infinite(Bits bits) { return has_infinity && (bits & magnitude) == infinite; }
  static bool is_subnormal(Bits bits) { return (bits & magnitude) != 0 && (bits & magnitude) < least_normal; }

  /// Returns the element's position on the number line; -0 is at +0.
  static Key key(Bits bits) {
    if constexpr (floating)
      return static_cast<Key>(bits & sign ? -static_cast<Key>(bits & magnitude) : static_cast<Key>(bits));
    else
      return static_cast<Key>(bits);
  }
  /// Returns the distance of two elements [steps], exact in the unsigned type of their width.
  static Bits steps(Bits a, Bits b) {
    const Key x = key(a), y = key(b);
    return static_cast<Bits>(x > y ? static_cast<Bits>(x) - static_cast<Bits>(y)
                                   : static_cast<Bits>(y) - static_cast<Bits>(x));
  }
  static Bits load(const std::byte* raw, size_t i) {
    Bits bits;
    std::memcpy(&bits, raw + i * size, size);
    return bits;
  }

  /// Type that vector instructions convert to doubles: the element's own, or a wider one for 8-bit and 16-bit
  /// elements.
  using Number =
      std::conditional_t<dtype == DType::float64, double,
                         std::conditional_t<floating, float, std::conditional_t<size == 8, Signed, int32_t>>>;
  static constexpr bool is_number = size >= 4;

  static Number number(Bits bits) {
    if constexpr (is_number)
      return std::bit_cast<Number>(bits);
    else if constexpr (floating)
      return widen_small(bits);
    else
      return static_cast<Key>(bits);
  }
  static void decode(const std::byte* from, size_t count, Number* to) {
    for (size_t i = 0; i < count; ++i)
      to[i] = number(load(from, i));
  }

  /// Widens elements to doubles; exact, except for int64 beyond 2^53 (nearest). The loops are plain because
  /// compilers vectorize them better than explicit vector code.
  static void widen(const std::byte* from, size_t count, double* to) {
    if constexpr (dtype == DType::float64) {
      std::memcpy(to, from, count * size);
    } else if constexpr (size <= 2 && floating) {
      alignas(64) Number halfway[1024];
      for (size_t first = 0; first < count; first += std::size(halfway)) {
        const size_t here = std::min(std::size(halfway), count - first);
        decode(from + first * size, here, halfway);
        for (size_t i = 0; i < here; ++i)
          to[first + i] = static_cast<double>(halfway[i]);
      }
    } else {
      for (size_t i = 0; i < count; ++i)
        to[i] = static_cast<double>(number(load(from, i)));
    }
  }

 private:
  /// Returns a float of few bits, without a subnormal operand, which would cost a microcode assist. A
  /// subnormal is the value of its fraction with an implicit leading one, minus that one.
  static float widen_small(uint32_t bits) {
    constexpr uint32_t bias = 127 - (dtype == DType::float8_e4m3fn ? 7 : 15);
    constexpr uint32_t top = (bias + 1) << 23;  // exponent of the smallest normal number
    const uint32_t fraction = (bits & uint32_t{magnitude}) << (23 - mantissa);
    const uint32_t with_sign = (bits & uint32_t{sign}) << (32 - 8 * size);
    if constexpr (dtype == DType::bfloat16)
      return std::bit_cast<float>(bits << 16);
    const float subnormal = std::bit_cast<float>(fraction + top) - std::bit_cast<float>(top);
    const uint32_t normal = fraction + (bias << 23);
    const uint32_t size_bits = bits & uint32_t{magnitude};
    const uint32_t finite = size_bits < uint32_t{least_normal} ? std::bit_cast<uint32_t>(subnormal) : normal;
    const uint32_t value = size_bits >= uint32_t{infinite} ? 0x7F800000U | fraction : finite;
    return std::bit_cast<float>(value | with_sign);
  }
};

/// Calls `take(Element<dtype>{})`.
template <class Take>
auto with_element(DType dtype, const Take& take) {
  switch (dtype) {
    case DType::float64:
      return take(Element<DType::float64>{});
    case DType::float32:
      return take(Element<DType::float32>{});
    case DType::bfloat16:
      return take(Element<DType::bfloat16>{});
    case DType::float16:
      return take(Element<DType::float16>{});
    case DType::float8_e4m3fn:
      return take(Element<DType::float8_e4m3fn>{});
    case DType::float8_e5m2:
      return take(Element<DType::float8_e5m2>{});
    case DType::int64:
    case DType::residue64:
      return take(Element<DType::int64>{});
    case DType::int32:
      return take(Element<DType::int32>{});
    case DType::int16:
      return take(Element<DType::int16>{});
    case DType::int8:
      return take(Element<DType::int8>{});
    case DType::uint8:
    case DType::bool8:
      return take(Element<DType::uint8>{});
  }
  throw InternalError("dtype " + std::to_string(static_cast<int>(dtype)));
}

}  // namespace parity::measure
