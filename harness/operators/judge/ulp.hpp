// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/base/error.hpp"
#include "harness/tensor/dtype.hpp"

namespace parity::operators {

/// The significand and the range of a floating-point dtype.
struct FloatFormat {
  int precision = 24;          ///< bits of the significand, with the leading one
  int lowest_exponent = -126;  ///< of the smallest normal number

  double roundoff() const { return std::ldexp(1.0, -precision); }
};

/// Returns the format of a floating-point dtype. \throws InternalError for an integer
constexpr FloatFormat format_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {53, -1022};
    case DType::float32:
      return {24, -126};
    case DType::bfloat16:
      return {8, -126};
    case DType::float16:
      return {11, -14};
    case DType::float8_e4m3fn:
      return {4, -6};
    case DType::float8_e5m2:
      return {3, -14};
    default:
      throw InternalError("an integer has no floating-point format");
  }
}

/// Returns one unit in the last place of `dtype` at `value`: the spacing of its numbers in that binade, at
/// least that of its subnormal numbers. NaN for a value that is not finite.
inline double ulp_at(DType dtype, double value) {
  if (!std::isfinite(value))
    return NAN;
  const FloatFormat format = format_of(dtype);
  const int exponent =
      value == 0 ? format.lowest_exponent : std::max(std::ilogb(value), format.lowest_exponent);
  return std::ldexp(1.0, exponent - format.precision + 1);
}

}  // namespace parity::operators
