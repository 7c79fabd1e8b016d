// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

// Layouts of a rank's shards in the logical tensor, built one mesh dimension at a time. Placements have the
// order of the mesh. A dimension of one rank has no placement. If two mesh dimensions split the same tensor
// dimension, a rank holds the intersection of both ranges. A shard that is split again over the same mesh
// dimension (experts, then their rows) has one placement there, with the remaining ranges.

/// Returns the layout with `held` replicated over a mesh dimension.
/// \param layout  of `held` so far; empty = the whole tensor
/// \param ranks   along the mesh dimension, which all hold the same
TensorLayout replicated_over(const TensorLayout& layout, const torch::Tensor& held,
                             const std::string& mesh_dimension, const Group& ranks);

/// Returns the layout with dimension `dim` of `held` sharded over a mesh dimension.
/// \param held   the tensor that the ranks hold together
/// \param ranks  each holds its part (part_of in parts.hpp)
TensorLayout sharded_over(const TensorLayout& layout, const torch::Tensor& held, int64_t dim,
                          const std::string& mesh_dimension, const Group& ranks);

/// A rank's place along one of several mesh dimensions that form one group.
struct MeshPlace {
  std::string dimension;
  int64_t coordinate = 0, size = 1;
};
/// Returns the layout sharded over a group of several mesh dimensions, in the order of the mesh: one
/// placement for each.
TensorLayout sharded_over(TensorLayout layout, const torch::Tensor& held, int64_t dim,
                          const std::vector<MeshPlace>& places, const Group& ranks);

/// Returns the indices of each dimension of the logical tensor that a rank holds, in its order: one int64
/// vector for each dimension of `shape`.
/// \param shape  of the logical tensor
std::vector<torch::Tensor> held_indices(const TensorLayout& layout, at::IntArrayRef shape);

/// Returns the same as ranges, joined where they touch: for each dimension those that a rank holds, in its
/// order. A dimension that it holds nothing of has none.
std::vector<std::vector<IndexRange>> held_ranges(const TensorLayout& layout, at::IntArrayRef shape);

/// Returns this rank's shard of a whole tensor, contiguous and in its own memory.
torch::Tensor part_of_logical(const torch::Tensor& whole, const TensorLayout& layout);

/// Returns the logical tensor on the CPU, joined bit for bit from the shards of all ranks; the same on every
/// rank.
/// \param held   this rank's shard, on any device
/// \param world  all ranks that hold a shard
torch::Tensor logical_tensor(const torch::Tensor& held, const TensorLayout& layout, const Group& world);

}  // namespace parity::reference
