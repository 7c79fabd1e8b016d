// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "harness/tensor/dtype.hpp"
#include "harness/tensor/shape.hpp"

namespace parity {

/// A dense row-major tensor in memory that it does not own.
struct TensorView {
  DType dtype = DType::float32;  ///< of the elements
  Shape shape;                   ///< sizes, outermost first
  const void* data = nullptr;    ///< first element; not owned

  /// Returns the number of elements.
  int64_t size() const { return element_count(shape); }
  /// Returns the size of all elements [bytes].
  size_t bytes() const { return static_cast<size_t>(size()) * size_of(dtype); }
  /// Returns the memory of all elements.
  std::span<const std::byte> raw() const { return {static_cast<const std::byte*>(data), bytes()}; }
};

}  // namespace parity
