// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace parity::api {

/// Element types of tensors.
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
  residue64,  ///< of an exact twin: an integer modulo a prime, which is equal to another one or not
};

/// Returns the name of a dtype in trace files: "bfloat16".
constexpr std::string_view name_of(DType dtype) {
  constexpr std::array<std::string_view, 13> names = {
      "float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "int64",
      "int32",   "int16",   "int8",     "uint8",   "bool",          "residue64"};
  return names.at(static_cast<size_t>(dtype));
}
/// Returns the dtype of a name. \throws Error if there is none
DType dtype_named(std::string_view name);
/// Returns the size of an element [bytes].
constexpr size_t size_of(DType dtype) {
  constexpr std::array<size_t, 13> sizes = {8, 4, 2, 2, 1, 1, 8, 4, 2, 1, 1, 1, 8};
  return sizes.at(static_cast<size_t>(dtype));
}

/// A dense row-major tensor in memory that it does not own.
struct TensorView {
  DType dtype = DType::float32;     ///< of the elements
  std::vector<int64_t> shape = {};  ///< sizes, outermost first; empty for a scalar
  const void* data = nullptr;       ///< the first element

  /// Returns the number of elements.
  int64_t size() const {
    int64_t count = 1;
    for (const int64_t length : shape)
      count *= length;
    return count;
  }
  /// Returns the size of all elements [bytes].
  size_t bytes() const { return static_cast<size_t>(size()) * size_of(dtype); }
  /// Returns the value of an element: exact, except for int64 beyond 2^53 (nearest).
  /// \param flat  its row-major index \throws Error if there is no such element
  double at(int64_t flat) const;
};

}  // namespace parity::api
