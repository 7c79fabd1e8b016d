// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/device_mesh.hpp"

#include <algorithm>
#include <utility>

#include "harness/base/error.hpp"

namespace parity::reference {

DeviceMesh::DeviceMesh(std::vector<MeshDimension> dimensions, int64_t world_size)
    : dimensions_(std::move(dimensions)), world_size_(world_size) {
  int64_t product = 1;
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    const auto& [name, size] = dimensions_[i];
    if (size < 1)
      throw UserError("cannot use parallel." + name + " = " + std::to_string(size) +
                      " (a mesh has at least one rank along it); give 1 or more");
    require(index_of(name) == i, "mesh dimension " + name + " comes twice");
    product *= size;
  }
  if (product != world_size_)
    throw UserError("a mesh of " + text() + " has " + std::to_string(product) + " ranks, and there are " +
                    std::to_string(world_size_) +
                    " (each rank has one place); start as many as the mesh has");
}

size_t DeviceMesh::index_of(const std::string& name) const {
  const auto found = std::find_if(dimensions_.begin(), dimensions_.end(),
                                  [&](const MeshDimension& each) { return each.name == name; });
  require(found != dimensions_.end(), "no mesh dimension " + name);
  return static_cast<size_t>(found - dimensions_.begin());
}

std::vector<int64_t> DeviceMesh::coordinates(int64_t rank) const {
  std::vector<int64_t> result(dimensions_.size());
  for (size_t i = dimensions_.size(); i-- > 0; rank /= dimensions_[i].size)
    result[i] = rank % dimensions_[i].size;
  return result;
}

int64_t DeviceMesh::size(std::span<const std::string> names) const {
  int64_t product = 1;
  for (const std::string& name : names)
    product *= dimensions_[index_of(name)].size;
  return product;
}

int64_t DeviceMesh::coordinate(int64_t rank, const std::string& name) const {
  return coordinates(rank)[index_of(name)];
}

std::vector<int64_t> DeviceMesh::group(int64_t rank, std::span<const std::string> names) const {
  std::vector<bool> along(dimensions_.size(), false);
  for (const std::string& name : names)
    along[index_of(name)] = true;
  const std::vector<int64_t> mine = coordinates(rank);
  std::vector<int64_t> members;
  for (int64_t other = 0; other < world_size_; ++other) {
    const std::vector<int64_t> theirs = coordinates(other);
    bool member = true;
    for (size_t i = 0; i < along.size(); ++i)
      member = member && (along[i] || theirs[i] == mine[i]);
    if (member)
      members.push_back(other);
  }
  return members;
}

std::string DeviceMesh::text() const {
  std::string result;
  for (const auto& [name, size] : dimensions_)
    if (size > 1)
      result += (result.empty() ? "" : " x ") + name + " " + std::to_string(size);
  return result.empty() ? "1 rank" : result;
}

}  // namespace parity::reference
