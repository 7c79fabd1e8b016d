// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace parity::measure {

/// Functions of one double; constexpr, so that CUDA also compiles them for the GPU.

constexpr bool is_nan(double value) {
  return value != value;
}
constexpr double magnitude_of(double value) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63));
}
constexpr bool is_infinite(double value) {
  return magnitude_of(value) == std::numeric_limits<double>::infinity();
}
constexpr bool is_finite(double value) {
  return magnitude_of(value) < std::numeric_limits<double>::infinity();
}

/// Returns error / reference. 0 if the error is 0; infinite if the error is, or if only the reference is 0.
/// NaN if only the reference is infinite: an overflowed reference proves nothing.
/// \param error, reference  not negative
constexpr double error_ratio(double error, double reference) {
  if (error == 0)
    return 0;
  if (is_infinite(reference) && is_finite(error))
    return std::numeric_limits<double>::quiet_NaN();
  return reference == 0 || is_infinite(error) ? std::numeric_limits<double>::infinity() : error / reference;
}

}  // namespace parity::measure
