// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"

namespace parity::reference {

/// A box of a logical tensor that a rank holds.
struct HeldChunk {
  std::vector<int64_t> offsets;  ///< in the logical tensor, one for each dimension
  std::vector<int64_t> local;    ///< in the rank's tensor
  std::vector<int64_t> sizes;
};

/// Returns the boxes that a rank holds. A tensor that is not split is one box; a rank without elements of a
/// split one has none.
/// \param shape  of the logical tensor
std::vector<HeldChunk> held_chunks(const TensorLayout& layout, at::IntArrayRef shape);

/// Returns the shape of what a rank holds.
std::vector<int64_t> held_sizes(const TensorLayout& layout, at::IntArrayRef shape);

/// Returns the view of a box of a tensor.
torch::Tensor box_of(const torch::Tensor& tensor, at::IntArrayRef offsets, at::IntArrayRef sizes);

/// Copies what a stored chunk and a rank's boxes have in common.
/// \param held     the rank's tensor
/// \param offsets  of the stored chunk in the logical tensor
/// \param stored   values of the stored chunk, of held's dtype
/// \return the number of elements copied
int64_t copy_common(const torch::Tensor& held, const std::vector<HeldChunk>& boxes, at::IntArrayRef offsets,
                    const torch::Tensor& stored);

/// Returns whether a stored chunk has elements of a rank's boxes.
bool have_common(const std::vector<HeldChunk>& boxes, at::IntArrayRef offsets, at::IntArrayRef sizes);

}  // namespace parity::reference
