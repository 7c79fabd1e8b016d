// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/layout.hpp"

#include <algorithm>

namespace parity::reference {
namespace {

bool has_other_rows(const std::string& dimension) {
  return dimension == "dp_replicate" || dimension == "dp_shard";
}

bool has_other_tokens(const std::string& dimension) {
  return has_other_rows(dimension) || dimension == "cp";
}

}  // namespace

TensorLayout parameter_layout(TensorLayout layout, const std::vector<int64_t>& shape, const DeviceMesh& mesh,
                              int64_t rank) {
  if (layout.global_shape.empty())
    layout.global_shape = shape;
  for (const MeshDimension& dimension : mesh.dimensions()) {
    const bool known =
        std::any_of(layout.placements.begin(), layout.placements.end(),
                    [&](const Placement& placement) { return placement.mesh_dimension == dimension.name; });
    if (!known && dimension.size > 1 && dimension.name != "pp")
      layout.placements.push_back(
          {dimension.name, mesh.coordinate(rank, dimension.name), dimension.size, Replicate{}});
  }
  return layout;
}

TensorLayout local_gradient_layout(TensorLayout layout, const std::vector<int64_t>& shape,
                                   const DeviceMesh& mesh, int64_t rank,
                                   const std::vector<std::string>& partial_over) {
  layout = parameter_layout(std::move(layout), shape, mesh, rank);
  const auto is_partial = [&](const std::string& dimension) {
    return has_other_tokens(dimension) ||
           std::find(partial_over.begin(), partial_over.end(), dimension) != partial_over.end();
  };
  for (Placement& placement : layout.placements)
    if (is_partial(placement.mesh_dimension) && std::holds_alternative<Replicate>(placement.kind))
      placement.kind = Partial{};
  return layout;
}

TensorLayout rows_layout(const std::vector<int64_t>& shape, const DeviceMesh& mesh, int64_t rank) {
  TensorLayout layout;
  layout.global_shape = shape;
  int64_t place = 0, readers = 1;
  for (const MeshDimension& dimension : mesh.dimensions()) {
    if (!has_other_rows(dimension.name))
      continue;
    place = place * dimension.size + mesh.coordinate(rank, dimension.name);
    readers *= dimension.size;
  }
  const int64_t rows = shape.front();
  layout.global_shape.front() = rows * readers;
  for (const MeshDimension& dimension : mesh.dimensions())
    if (has_other_rows(dimension.name) && dimension.size > 1)
      layout.placements.push_back({dimension.name, mesh.coordinate(rank, dimension.name), dimension.size,
                                   Shard{0, {{place * rows, (place + 1) * rows}}}});
  return parameter_layout(std::move(layout), shape, mesh, rank);
}

}  // namespace parity::reference
