// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/tensor/tensor_view.hpp"

namespace parity::checkpoints {

/// A tensor in memory that it does not own, with a stride for each dimension [elements].
struct StridedView {
  DType dtype = DType::float32;
  Shape shape;
  const std::byte* data = nullptr;
  std::vector<int64_t> strides;

  int64_t size() const { return element_count(shape); }
  /// Returns whether the elements are row-major without holes.
  bool is_contiguous() const;
};

StridedView view_of(const TensorView& tensor);

/// Splits one dimension into several. \param sizes  their product is the size of the dimension
StridedView split(const StridedView& view, size_t dimension, const Shape& sizes);

/// Reorders the dimensions: result dimension i is dimension order[i].
StridedView permute(const StridedView& view, const std::vector<size_t>& order);

/// Returns the indices [first, first + count) of one dimension.
StridedView slice(const StridedView& view, size_t dimension, int64_t first, int64_t count);

/// Returns one index of dimension 0, without that dimension.
StridedView select(const StridedView& view, int64_t index);

/// Returns the view with its last two dimensions swapped.
StridedView transpose(const StridedView& view);

/// Returns a view of the same elements with one dimension, for a contiguous view.
StridedView flatten(const StridedView& view);

/// Copies the elements to memory, row-major.
void gather(const StridedView& view, std::byte* to);

/// Calls `work` with matching pieces of two views of one shape, each of at most `most` elements, in order,
/// until it returns false.
/// \return whether every call returned true
bool for_each_piece(const StridedView& a, const StridedView& b, int64_t most,
                    const std::function<bool(const StridedView& a, const StridedView& b)>& work);

}  // namespace parity::checkpoints
