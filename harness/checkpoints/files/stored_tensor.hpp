// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "harness/tensor/tensor_view.hpp"

namespace parity::checkpoints {

/// A dtype of safetensors files.
struct StoredType {
  std::string_view name;
  DType dtype = DType::float32;  ///< the same, or one of the same size
  bool has_values = true;        ///< false: `dtype` has the bits, but other values
};

/// The dtypes that are read. The first ones are in the order of DType.
inline constexpr std::array<StoredType, 19> stored_types = {{
    {"F64", DType::float64},
    {"F32", DType::float32},
    {"BF16", DType::bfloat16},
    {"F16", DType::float16},
    {"F8_E4M3", DType::float8_e4m3fn},
    {"F8_E5M2", DType::float8_e5m2},
    {"I64", DType::int64},
    {"I32", DType::int32},
    {"I16", DType::int16},
    {"I8", DType::int8},
    {"U8", DType::uint8},
    {"BOOL", DType::bool8},
    {"U64", DType::int64, false},
    {"U32", DType::int32, false},
    {"U16", DType::int16, false},
    {"C64", DType::int64, false},
    {"F8_E8M0", DType::uint8, false},
    {"F8_E4M3FNUZ", DType::uint8, false},
    {"F8_E5M2FNUZ", DType::uint8, false},
}};

/// A tensor of a file. The view's dtype has the values only if the stored type says so.
struct StoredTensor : TensorView {
  StoredType type = {};
};

}  // namespace parity::checkpoints
