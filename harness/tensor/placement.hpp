// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace parity {

/// Every coordinate of the mesh dimension holds the same values.
struct Replicate {
  auto operator<=>(const Replicate&) const = default;
};

/// Half-open interval of indices along one tensor dimension.
struct IndexRange {
  int64_t first = 0;
  int64_t end = 0;
  auto operator<=>(const IndexRange&) const = default;
};

/// Each coordinate holds the indices `ranges` of tensor dimension `dim`, in this order.
struct Shard {
  int64_t dim = 0;
  std::vector<IndexRange> ranges;
  auto operator<=>(const Shard&) const = default;
};

/// Each coordinate holds a term. The logical values are the sum of the terms, or their mean.
struct Partial {
  enum class Reduction { sum, avg } reduction = Reduction::sum;
  auto operator<=>(const Partial&) const = default;
};

/// How a part of a logical tensor is placed along one mesh dimension. The micro-batch counts as a mesh
/// dimension. The trainer records placements; the harness never guesses them from values.
struct Placement {
  std::string mesh_dimension;  ///< "data", "tensor", "micro_batch", ...
  int64_t coordinate = 0;      ///< coordinate of this part along the dimension
  int64_t size = 1;            ///< number of coordinates along the dimension
  std::variant<Replicate, Shard, Partial> kind;

  auto operator<=>(const Placement&) const = default;
};

/// The place of one rank's part in the logical tensor. By default the part is the whole tensor.
struct TensorLayout {
  std::vector<int64_t> global_shape;  ///< shape of the logical tensor; empty if it is not split
  std::vector<Placement> placements;  ///< one per mesh dimension with more than one rank

  auto operator<=>(const TensorLayout&) const = default;
};

}  // namespace parity
