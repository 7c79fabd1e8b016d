// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "harness/api/include/parity/recorder.h"
#include "harness/api/recorder/strides.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity::capi {

/// A tensor's elements in host memory, row-major. They are the trainer's own memory if that is such memory,
/// else a copy.
class HostValues {
 public:
  /// Copies the elements unless they are already row-major in host memory.
  /// \param tensor  shape, strides, data, writable and copy count; the caller's arrays are still there
  /// \param dtype   of the elements
  /// \throws UserError if a pointer is missing, `writable` is another address than `data`, elements that may
  /// be
  ///         changed share a place, or `copy` fails
  HostValues(const parity_tensor& tensor, DType dtype);

  /// Returns the elements.
  const TensorView& view() const { return view_; }
  /// Returns the memory of the elements; null if they must not be changed.
  void* writable() const { return tensor_.writable == nullptr ? nullptr : const_cast<void*>(view_.data); }
  /// Copies the elements back to the trainer's memory if they are a copy that may have been changed.
  void write_back();

 private:
  std::byte* lowest_of(const void* first) const;
  void read_device();
  void call_copy(void* to, const void* from, size_t bytes, int32_t direction) const;

  parity_tensor tensor_;
  StridedPlaces places_;
  TensorView view_;
  size_t width_;
  PlaceRuns runs_;                     ///< of device memory
  std::unique_ptr<std::byte[]> span_;  ///< host copy of device memory from the lowest to the highest element
  std::unique_ptr<std::byte[]> rows_;  ///< row-major copy
};

/// Returns the shape of a tensor. \throws UserError if its rank is negative, or sizes are missing
Shape shape_of(const parity_tensor& tensor);

}  // namespace parity::capi
