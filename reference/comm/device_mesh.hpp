// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace parity::reference {

/// A dimension of a mesh: its name and its number of ranks.
struct MeshDimension {
  std::string name;
  int64_t size = 1;
};

/// Arranges ranks in a grid with named dimensions, the last one varying fastest:
///
///   rank = ((c0 s1) + c1) s2 + ...
///
/// A group along some dimensions contains the ranks that differ only in those dimensions. Several dimensions
/// flatten into one group, always in the mesh's order: loss = (dp_replicate, dp_shard, cp).
/// Source: NUMERICS.md 6.
class DeviceMesh {
 public:
  /// \throws UserError if a size is below 1, a name comes twice, or the sizes do not multiply to world_size
  DeviceMesh(std::vector<MeshDimension> dimensions, int64_t world_size);

  const std::vector<MeshDimension>& dimensions() const { return dimensions_; }
  int64_t world_size() const { return world_size_; }
  /// Returns the product of the sizes of the named dimensions. \throws InternalError for an unknown name
  int64_t size(std::span<const std::string> names) const;
  /// Returns the coordinate of a rank along a dimension.
  int64_t coordinate(int64_t rank, const std::string& name) const;
  /// Returns the ranks of the group that contains `rank`, along the named dimensions, ascending.
  std::vector<int64_t> group(int64_t rank, std::span<const std::string> names) const;
  /// Returns a text such as "dp_replicate 2 x tp 2"; dimensions of size 1 are left out. "1 rank" for a world
  /// of one.
  std::string text() const;

 private:
  size_t index_of(const std::string& name) const;
  std::vector<int64_t> coordinates(int64_t rank) const;

  std::vector<MeshDimension> dimensions_;
  int64_t world_size_;
};

}  // namespace parity::reference
