// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/tensor/conversions.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity::operators {

/// Returns the elements of a tensor as doubles. Exact, except for int64 beyond 2^53.
inline std::vector<double> widened(const TensorView& view) {
  std::vector<double> values(static_cast<size_t>(view.size()));
  const auto* bytes = static_cast<const std::byte*>(view.data);
  if (view.dtype == DType::float32) {
    const auto* floats = static_cast<const float*>(view.data);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = floats[i];
  } else {
    const size_t width = size_of(view.dtype);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = widen(view.dtype, bytes + i * width);
  }
  return values;
}

}  // namespace parity::operators
