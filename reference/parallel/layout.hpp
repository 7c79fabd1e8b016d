// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

// How a tensor that a rank holds lies in the logical one, one more mesh dimension at a time. Placements stand
// in the order of the mesh. A dimension of one rank is not mentioned. Where two dimensions split the same
// tensor dimension, a rank holds what is in the ranges of both. A part that is cut again over the same mesh
// dimension (experts, and then their rows) has one placement there, with what is left.

/// \param layout  of `held` so far; empty = the whole tensor
/// \param ranks   along the mesh dimension, which all hold the same
TensorLayout replicated_over(const TensorLayout& layout, const torch::Tensor& held,
                             const std::string& mesh_dimension, const Group& ranks);

/// \param held   what the ranks hold together
/// \param ranks  of which each holds its part (part_of in parts.hpp) of dimension `dim` of it
TensorLayout sharded_over(const TensorLayout& layout, const torch::Tensor& held, int64_t dim,
                          const std::string& mesh_dimension, const Group& ranks);

/// A mesh dimension of several that were flattened into one group.
struct MeshPlace {
  std::string dimension;
  int64_t coordinate = 0, size = 1;
};
/// The same over ranks that several mesh dimensions make up, in the mesh's order: a placement each.
TensorLayout sharded_over(TensorLayout layout, const torch::Tensor& held, int64_t dim,
                          const std::vector<MeshPlace>& places, const Group& ranks);

/// What this rank holds of a whole tensor, [held] contiguous, its own memory.
torch::Tensor part_of_logical(const torch::Tensor& whole, const TensorLayout& layout);

/// The logical tensor, joined bit for bit from the parts of all ranks; the same on every rank.
/// \param held   what this rank holds, on any device
/// \param world  all ranks that hold a part of it
/// \return on the CPU
torch::Tensor logical_tensor(const torch::Tensor& held, const TensorLayout& layout, const Group& world);

}  // namespace parity::reference
