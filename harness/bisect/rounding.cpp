// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/rounding.hpp"

namespace parity {

double most_rounding(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 64 * 0x1p-52;
    case DType::bfloat16:
      return 4 * 0x1p-7;
    case DType::float16:
      return 4 * 0x1p-10;
    default:
      return 64 * 0x1p-23;
  }
}

bool is_of_roundings_size(const TensorStation& station) {
  return station.key.phase != Phase::input && station.key.step > 0 && station.relative &&
         *station.relative <= most_rounding(station.dtype);
}

}  // namespace parity
