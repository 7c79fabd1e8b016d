// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/shape.hpp"

namespace parity {

/// Returns whether a part with this layout is the whole logical tensor, which then every other rank holds
/// too.
bool is_whole(const TensorLayout& layout);

/// The part of a logical tensor that a layout describes. Parts with equal covers are replicas of each other.
struct PartCover {
  /// The part's index ranges, one list per tensor dimension, in the part's order. If several mesh dimensions
  /// shard one tensor dimension, the part holds the indices that all of them hold.
  std::vector<std::vector<IndexRange>> ranges;
  /// Coordinates along the mesh dimensions whose parts are terms of a sum or mean.
  std::vector<int64_t> term;

  auto operator<=>(const PartCover&) const = default;
};

/// Returns the cover of a layout.
/// \throws UserError if a placement shards a dimension that does not exist, reaches beyond it, or has a
///         coordinate outside its mesh dimension
PartCover cover_of(const TensorLayout& layout);

/// Returns indices as ranges of neighbours, in the given order.
std::vector<IndexRange> ranges_of(const std::vector<int64_t>& indices);

/// Returns the shape of the part.
Shape shape_of(const PartCover& cover);

/// Returns whether two parts of one tensor have an element in common.
bool overlap(const PartCover& a, const PartCover& b);

/// Returns the places of two covers that overlap, the smaller first; nothing if all are disjoint. Takes
/// n log n steps for n shards along one dimension.
std::optional<std::pair<size_t, size_t>> find_overlap(const std::vector<const PartCover*>& covers);

/// A run of elements that are contiguous both in the part and in the logical tensor.
struct PartRun {
  int64_t local = 0;   ///< flat index of the first element in the part
  int64_t global = 0;  ///< ... and in the logical tensor
  int64_t count = 0;
};

/// Calls `take` for each run of the part, in the part's order. A contiguous part is one run.
void for_each_run(const PartCover& cover, const Shape& global_shape,
                  const std::function<void(const PartRun&)>& take);

}  // namespace parity
