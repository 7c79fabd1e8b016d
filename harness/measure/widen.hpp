// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "harness/base/error.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity {

/// Widens `count` elements of a dtype to doubles; kernels call it block by block.
/// \param data  need not be aligned
template <class T, class Convert>
inline void widen_each(const std::byte* data, size_t count, double* out, Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, data + i * sizeof element, sizeof element);
    out[i] = static_cast<double>(convert(element));
  }
}

inline void widen_block(DType dtype, const std::byte* data, size_t count, double* out) {
  const auto same = [](auto value) { return value; };
  switch (dtype) {
    case DType::float64:
      std::memcpy(out, data, count * sizeof(double));
      return;
    case DType::float32:
      return widen_each<float>(data, count, out, same);
    case DType::bfloat16:
      return widen_each<uint16_t>(data, count, out, bfloat16_to_float);
    case DType::float16:
      return widen_each<uint16_t>(data, count, out, float16_to_float);
    case DType::float8_e4m3fn:
      return widen_each<uint8_t>(data, count, out, [](uint8_t b) { return float8_e4m3fn_values[b]; });
    case DType::float8_e5m2:
      return widen_each<uint8_t>(data, count, out, [](uint8_t b) { return float8_e5m2_values[b]; });
    case DType::int64:
      return widen_each<int64_t>(data, count, out, same);
    case DType::int32:
      return widen_each<int32_t>(data, count, out, same);
    case DType::int16:
      return widen_each<int16_t>(data, count, out, same);
    case DType::int8:
      return widen_each<int8_t>(data, count, out, same);
    case DType::uint8:
    case DType::bool8:
      return widen_each<uint8_t>(data, count, out, same);
  }
}

}  // namespace parity
