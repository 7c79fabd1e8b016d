// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/tensor/conversions.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace parity {
namespace {

template <float (*Convert)(uint8_t)>
constexpr std::array<double, 256> all_values() {
  std::array<double, 256> values{};
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = Convert(static_cast<uint8_t>(i));
  return values;
}

template <class T>
T load(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

}  // namespace

const std::array<double, 256> float8_e4m3fn_values = all_values<float8_e4m3fn_to_float>();
const std::array<double, 256> float8_e5m2_values = all_values<float8_e5m2_to_float>();

uint16_t float_to_float16(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | 0x7E00);
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520.0)  // half way between the largest half and the next power of two
    return static_cast<uint16_t>(sign | 0x7C00);
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : -14;
  exponent = exponent < -14 ? -14 : exponent;
  // In units of the last place; nearbyint rounds ties to even. A carry moves into the exponent by itself.
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const int bits = units < 1024 ? units : ((exponent + 15) << 10) + (units - 1024);
  return static_cast<uint16_t>(sign | bits);
}

float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const bool exact = static_cast<double>(nearest) == value || std::isnan(value);
  if (exact || (std::bit_cast<uint32_t>(nearest) & 1) != 0)
    return nearest;
  const float infinity = std::numeric_limits<float>::infinity();
  return std::nextafter(nearest, static_cast<double>(nearest) < value ? infinity : -infinity);
}

double widen(DType dtype, const void* element) {
  switch (dtype) {
    case DType::float64:
      return load<double>(element);
    case DType::float32:
      return load<float>(element);
    case DType::bfloat16:
      return bfloat16_to_float(load<uint16_t>(element));
    case DType::float16:
      return float16_to_float(load<uint16_t>(element));
    case DType::float8_e4m3fn:
      return float8_e4m3fn_values[load<uint8_t>(element)];
    case DType::float8_e5m2:
      return float8_e5m2_values[load<uint8_t>(element)];
    case DType::int64:
    case DType::residue64:
      return static_cast<double>(load<int64_t>(element));
    case DType::int32:
      return load<int32_t>(element);
    case DType::int16:
      return load<int16_t>(element);
    case DType::int8:
      return load<int8_t>(element);
    case DType::uint8:
    case DType::bool8:
      return load<uint8_t>(element);
  }
  throw InternalError("widen: dtype " + std::to_string(static_cast<int>(dtype)));
}

}  // namespace parity
