// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "harness/tensor/dtype.hpp"

namespace parity {

/// Returns the value of bfloat16 bits; exact, NaN payloads kept in the upper half.
constexpr float bfloat16_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Returns the value of IEEE half bits; exact, also for subnormals. Branch-free: scales the exponent by
/// 2^112.
constexpr float float16_to_float(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFF) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const uint32_t special =
      (bits & 0x7C00) == 0x7C00 ? 0x7F800000U | magnitude : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(special | static_cast<uint32_t>(bits & 0x8000) << 16);
}

/// Returns the value of float8_e5m2 bits, which are the upper byte of an IEEE half.
constexpr float float8_e5m2_to_float(uint8_t bits) {
  return float16_to_float(static_cast<uint16_t>(bits << 8));
}

/// Returns the value of float8_e4m3fn bits: bias 7, no infinities, NaN at 0x7F and 0xFF. Source: OCP 8-bit
/// Floating Point Specification 1.0, table 1.
constexpr float float8_e4m3fn_to_float(uint8_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x80) << 24;
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7F) << 20;
  const uint32_t value = (bits & 0x7F) == 0x7F
                             ? 0x7FC00000U
                             : std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p120F);
  return std::bit_cast<float>(value | sign);
}

/// Returns the nearest bfloat16, ties to even. NaN stays NaN (quiet); overflow gives infinity.
constexpr uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return static_cast<uint16_t>((bits >> 16) | 0x0040);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// Returns the nearest IEEE half, ties to even. NaN stays NaN (quiet); overflow gives infinity.
uint16_t float_to_float16(float value);

/// Returns the float32 next to a double whose lowest bit is set, or the double's own value if float32 has it.
/// A second rounding to at most 22 bits is then right, as if the double were rounded at once (Boldo and
/// Melquiond 2008).
float round_to_odd(double value);

/// All 256 values of an 8-bit float type.
extern const std::array<double, 256> float8_e4m3fn_values;
extern const std::array<double, 256> float8_e5m2_values;

/// Returns one element of any dtype as a double. Exact, except for int64 beyond 2^53 (nearest).
/// \param element  need not be aligned
double widen(DType dtype, const void* element);

}  // namespace parity
