// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "harness/tensor/dtype.hpp"

namespace parity::operators {

/// Returns the bytes of values in a dtype: the nearest numbers, or for integers these numbers.
std::vector<std::byte> narrowed(DType dtype, const std::vector<double>& values);

}  // namespace parity::operators
