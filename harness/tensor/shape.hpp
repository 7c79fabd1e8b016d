// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity {

/// Sizes of a tensor's dimensions, outermost first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// Returns the number of elements; 1 for a scalar.
int64_t element_count(const Shape& shape);

/// Returns a shape as text: "(2, 3)", or "()" for a scalar.
std::string to_string(const Shape& shape);

/// Returns the coordinates of the element with row-major flat index `flat`.
std::vector<int64_t> coordinates(const Shape& shape, int64_t flat);

}  // namespace parity
