// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/narrowed.hpp"

#include <cstring>

#include "harness/base/error.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::operators {
namespace {

template <class To, class Convert>
std::vector<std::byte> bytes_of(const std::vector<double>& values, const Convert& convert) {
  std::vector<std::byte> bytes(values.size() * sizeof(To));
  for (size_t i = 0; i < values.size(); ++i) {
    const To one = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(To), &one, sizeof(To));
  }
  return bytes;
}

template <class To>
std::vector<std::byte> cast(const std::vector<double>& values) {
  return bytes_of<To>(values, [](double value) { return static_cast<To>(value); });
}

}  // namespace

std::vector<std::byte> narrowed(DType dtype, const std::vector<double>& values) {
  switch (dtype) {
    case DType::float64:
      return cast<double>(values);
    case DType::float32:
      return cast<float>(values);
    case DType::bfloat16:
      return bytes_of<uint16_t>(values,
                                [](double value) { return float_to_bfloat16(static_cast<float>(value)); });
    case DType::float16:
      return bytes_of<uint16_t>(values,
                                [](double value) { return float_to_float16(static_cast<float>(value)); });
    case DType::int64:
      return cast<int64_t>(values);
    case DType::int32:
      return cast<int32_t>(values);
    case DType::int16:
      return cast<int16_t>(values);
    case DType::int8:
      return cast<int8_t>(values);
    case DType::uint8:
      return cast<uint8_t>(values);
    case DType::bool8:
      return bytes_of<uint8_t>(values, [](double value) { return static_cast<uint8_t>(value != 0); });
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
    case DType::residue64:
      break;
  }
  throw InternalError("inputs of 8-bit floating-point types and residues are refused before");
}

}  // namespace parity::operators
