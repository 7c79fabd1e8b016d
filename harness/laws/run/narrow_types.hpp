// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace parity::laws {

/// A floating-point type to which a trainer may round values of a wider one.
struct NarrowType {
  std::string_view name;
  double roundoff = 0;                  ///< unit roundoff
  double smallest = 0;                  ///< positive number of it
  double (*round)(double x) = nullptr;  ///< to the nearest number of the type
};

/// float32, float16 and bfloat16, in this order.
const std::array<NarrowType, 3>& narrow_types();

/// Returns the 16-bit type whose numbers all of these are; nullptr if neither is. A few numbers show nothing.
const NarrowType* find_16_bit_type(const std::vector<double>& values);

}  // namespace parity::laws
