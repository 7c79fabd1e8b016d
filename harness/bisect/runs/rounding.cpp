// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/runs/rounding.hpp"

namespace parity::bisect {

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

DType coarsest_dtype(const TensorPath& path) {
  DType coarsest = DType::float64;
  for (const TensorStation& station : path.stations)
    if (is_floating(station.dtype) && most_rounding(station.dtype) > most_rounding(coarsest))
      coarsest = station.dtype;
  return coarsest;
}

bool is_of_roundings_size(const TensorStation& station, DType coarsest) {
  return !station.split && !station.changed && station.key.phase != trace::Phase::input &&
         station.key.step > 0 && station.relative && *station.relative <= most_rounding(coarsest);
}

}  // namespace parity::bisect
