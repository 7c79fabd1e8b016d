// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/base/enum_names.hpp"

namespace parity {

/// Element types a trace can hold.
enum class DType : uint8_t {
  float64,
  float32,
  bfloat16,
  float16,
  float8_e4m3fn,
  float8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint8,
  bool8,
  /// An integer modulo a prime in place of a number (reference/exact). Equality is its only relation.
  residue64,
};

constexpr auto enum_names(DType) {
  return named<DType::residue64>(
      "dtype", {"float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "int64", "int32",
                "int16", "int8", "uint8", "bool", "residue64"});
}

/// Returns the size of one element [bytes].
constexpr size_t size_of(DType dtype) {
  constexpr std::array<size_t, 13> sizes = {8, 4, 2, 2, 1, 1, 8, 4, 2, 1, 1, 1, 8};
  return sizes.at(static_cast<size_t>(dtype));
}

/// Returns whether a dtype is a floating-point type.
constexpr bool is_floating(DType dtype) {
  return dtype <= DType::float8_e5m2;
}

}  // namespace parity
