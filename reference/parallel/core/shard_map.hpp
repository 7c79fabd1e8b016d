// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Knows which elements of some tensors each rank of a group holds, so that shards can be joined and cut.
class ShardMap {
 public:
  /// Exchanges the layouts. All ranks call it with the same tensors.
  ShardMap(const Parameters& tensors, const Group& ranks);

  int64_t ranks() const { return static_cast<int64_t>(places_.size()); }
  /// Returns the shape of a whole tensor.
  at::IntArrayRef shape(int64_t tensor) const { return shapes_[static_cast<size_t>(tensor)]; }
  /// Returns the number of elements that a rank holds of a tensor.
  int64_t elements(int64_t tensor, int64_t rank) const;
  /// Returns the largest of them.
  int64_t most_elements(int64_t tensor) const;
  /// Writes a rank's shard into the whole tensor.
  /// \param flat  the shard's elements, [elements] or any shape
  void place(const torch::Tensor& whole, int64_t tensor, int64_t rank, const torch::Tensor& flat) const;
  /// Returns a rank's shard of a whole tensor, contiguous.
  torch::Tensor cut(const torch::Tensor& whole, int64_t tensor, int64_t rank) const;

 private:
  /// The held indices of each dimension.
  using Place = std::vector<torch::Tensor>;

  const Place& place_of(int64_t tensor, int64_t rank) const {
    return places_[static_cast<size_t>(rank)][static_cast<size_t>(tensor)];
  }

  std::vector<std::vector<int64_t>> shapes_;
  std::vector<std::vector<Place>> places_;  ///< of each rank, of each tensor
};

}  // namespace parity::reference
