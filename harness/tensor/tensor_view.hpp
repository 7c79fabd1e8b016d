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
  DType dtype = DType::float32;
  Shape shape;
  const void* data = nullptr;

  int64_t size() const { return element_count(shape); }
  size_t bytes() const { return static_cast<size_t>(size()) * size_of(dtype); }
  std::span<const std::byte> raw() const { return {static_cast<const std::byte*>(data), bytes()}; }
};

}  // namespace parity
