// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/run/narrow_types.hpp"

#include <algorithm>
#include <ranges>

#include "harness/tensor/conversions.hpp"
#include "harness/tensor/roundoff.hpp"

namespace parity::laws {
namespace {

double to_float32(double value) {
  return static_cast<float>(value);
}
double to_bfloat16(double value) {
  return bfloat16_to_float(float_to_bfloat16(static_cast<float>(value)));
}
double to_float16(double value) {
  return float16_to_float(float_to_float16(static_cast<float>(value)));
}

}  // namespace

const std::array<NarrowType, 3>& narrow_types() {
  static const std::array<NarrowType, 3> list = {
      NarrowType{"float32", unit_roundoff(DType::float32), 0x1p-149, &to_float32},
      NarrowType{"float16", unit_roundoff(DType::float16), 0x1p-24, &to_float16},
      NarrowType{"bfloat16", unit_roundoff(DType::bfloat16), 0x1p-133, &to_bfloat16}};
  return list;
}

const NarrowType* find_16_bit_type(const std::vector<double>& values) {
  constexpr ptrdiff_t fewest = 4;
  if (std::ranges::count_if(values, [](double value) { return value != 0; }) < fewest)
    return nullptr;
  // Most numbers of bfloat16 are numbers of float16, too, which has more digits.
  for (const NarrowType& type : narrow_types() | std::views::reverse)
    if (type.name != "float32" &&
        std::ranges::all_of(values, [&](double value) { return type.round(value) == value; }))
      return &type;
  return nullptr;
}

}  // namespace parity::laws
