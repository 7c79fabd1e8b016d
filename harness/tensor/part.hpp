// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/tensor/placement.hpp"
#include "harness/tensor/shape.hpp"

namespace parity {

/// Whether a part with this layout is the logical tensor itself, as every other rank has it too.
bool is_whole(const TensorLayout& layout);

/// Which part of a logical tensor a layout names. Equal covers are replicas of each other.
struct PartCover {
  /// One list a dimension of the tensor, in the part's order. Where several mesh dimensions shard one tensor
  /// dimension, what they have in common: the part holds an index if each of them says so.
  std::vector<std::vector<IndexRange>> ranges;
  /// Coordinates along the mesh dimensions whose parts are terms of a sum or mean.
  std::vector<int64_t> term;

  auto operator<=>(const PartCover&) const = default;
};

/// \throws UserError if a placement shards a dimension that is not there, reaches beyond it, or is not at a
/// coordinate of its mesh dimension
PartCover cover_of(const TensorLayout& layout);

/// Sizes of the part.
Shape shape_of(const PartCover& cover);

/// Whether an element lies in both, which are parts of one tensor.
bool overlap(const PartCover& a, const PartCover& b);

/// Elements that lie side by side in the part and in the whole.
struct PartRun {
  int64_t local = 0;   ///< flat index of the first one in the part
  int64_t global = 0;  ///< in the logical tensor
  int64_t count = 0;
};

/// The part run by run, in its own order. A contiguous part is one run.
void for_each_run(const PartCover& cover, const Shape& global_shape,
                  const std::function<void(const PartRun&)>& take);

}  // namespace parity
