// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/tensor/dtype.hpp"

namespace parity {

/// Returns half the distance from 1 to the next number of a type: the largest relative error of one rounding.
constexpr double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 0x1p-53;
    case DType::bfloat16:
      return 0x1p-8;
    case DType::float16:
      return 0x1p-11;
    case DType::float8_e4m3fn:
      return 0x1p-4;
    case DType::float8_e5m2:
      return 0x1p-3;
    default:
      return 0x1p-24;
  }
}

}  // namespace parity
