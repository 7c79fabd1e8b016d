// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include "harness/base/error.hpp"
#include "harness/measure/lanes/number.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::measure::cuda {

/// Functions of one element or of one pair of elements. They are constexpr, so that nvcc compiles them for
/// the GPU and for the host, where tests compare them with the CPU's passes.

/// Returns a float's position on the number line of its type, with -0 at +0 (M1); an integer itself.
template <class Bits, bool floating>
constexpr auto key_of(Bits bits) {
  using Signed = std::make_signed_t<Bits>;
  if constexpr (floating) {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const auto magnitude = static_cast<Signed>(bits & static_cast<Bits>(~sign));
    return static_cast<Signed>(bits & sign ? -magnitude : magnitude);
  } else {
    return bits;
  }
}

/// Returns the distance of two elements [steps], exact in the unsigned type of their width.
template <class Bits, bool floating>
constexpr std::make_unsigned_t<Bits> steps_between(Bits a, Bits b) {
  using Unsigned = std::make_unsigned_t<Bits>;
  const auto ka = key_of<Bits, floating>(a), kb = key_of<Bits, floating>(b);
  return static_cast<Unsigned>(ka > kb ? static_cast<Unsigned>(ka) - static_cast<Unsigned>(kb)
                                       : static_cast<Unsigned>(kb) - static_cast<Unsigned>(ka));
}

/// An element type: the integer type of its bits, whether it is a float, and its value as a double.
template <DType dtype>
struct Element;

template <class Integer>
struct IntegerElement {
  using Bits = Integer;
  static constexpr bool floating = false;
  static constexpr double value(Bits element) { return static_cast<double>(element); }
};
template <class Unsigned>
struct FloatElement {
  using Bits = Unsigned;
  static constexpr bool floating = true;
};

template <>
struct Element<DType::float64> : FloatElement<uint64_t> {
  static constexpr double value(Bits bits) { return std::bit_cast<double>(bits); }
};
template <>
struct Element<DType::float32> : FloatElement<uint32_t> {
  static constexpr double value(Bits bits) { return std::bit_cast<float>(bits); }
};
template <>
struct Element<DType::bfloat16> : FloatElement<uint16_t> {
  static constexpr double value(Bits bits) { return bfloat16_to_float(bits); }
};
template <>
struct Element<DType::float16> : FloatElement<uint16_t> {
  static constexpr double value(Bits bits) { return float16_to_float(bits); }
};
template <>
struct Element<DType::float8_e4m3fn> : FloatElement<uint8_t> {
  static constexpr double value(Bits bits) { return float8_e4m3fn_to_float(bits); }
};
template <>
struct Element<DType::float8_e5m2> : FloatElement<uint8_t> {
  static constexpr double value(Bits bits) { return float8_e5m2_to_float(bits); }
};
template <>
struct Element<DType::int64> : IntegerElement<int64_t> {};
template <>
struct Element<DType::int32> : IntegerElement<int32_t> {};
template <>
struct Element<DType::int16> : IntegerElement<int16_t> {};
template <>
struct Element<DType::int8> : IntegerElement<int8_t> {};
template <>
struct Element<DType::uint8> : IntegerElement<uint8_t> {};

/// Calls `act` with the Element of a dtype.
template <class Act>
auto with_element(DType dtype, const Act& act) {
  switch (dtype) {
    case DType::float64:
      return act(Element<DType::float64>{});
    case DType::float32:
      return act(Element<DType::float32>{});
    case DType::bfloat16:
      return act(Element<DType::bfloat16>{});
    case DType::float16:
      return act(Element<DType::float16>{});
    case DType::float8_e4m3fn:
      return act(Element<DType::float8_e4m3fn>{});
    case DType::float8_e5m2:
      return act(Element<DType::float8_e5m2>{});
    case DType::int64:
    case DType::residue64:
      return act(Element<DType::int64>{});
    case DType::int32:
      return act(Element<DType::int32>{});
    case DType::int16:
      return act(Element<DType::int16>{});
    case DType::int8:
      return act(Element<DType::int8>{});
    case DType::uint8:
    case DType::bool8:
      return act(Element<DType::uint8>{});
  }
  throw InternalError("no element of dtype " + std::to_string(static_cast<int>(dtype)));
}

}  // namespace parity::measure::cuda
