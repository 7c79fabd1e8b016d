// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/layout.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/base/error.hpp"
#include "reference/parallel/core/parts.hpp"
#include "reference/parallel/core/sharded_norm.hpp"

namespace parity::reference {
namespace {

constexpr std::array<std::string_view, 5> mesh_order = {"pp", "dp_replicate", "dp_shard", "cp", "tp"};

auto place_in_mesh(const Placement& placement) {
  return std::find(mesh_order.begin(), mesh_order.end(), placement.mesh_dimension);
}

TensorLayout with(TensorLayout layout, const torch::Tensor& held, Placement placement) {
  if (placement.size == 1)
    return layout;
  require(place_in_mesh(placement) != mesh_order.end(), "no mesh dimension " + placement.mesh_dimension);
  if (layout.global_shape.empty())
    layout.global_shape = held.sizes().vec();
  std::erase_if(layout.placements, [&](const Placement& other) {
    return other.mesh_dimension == placement.mesh_dimension;  // of which this is a narrower part
  });
  const auto after =
      std::find_if(layout.placements.begin(), layout.placements.end(),
                   [&](const Placement& other) { return place_in_mesh(other) > place_in_mesh(placement); });
  layout.placements.insert(after, std::move(placement));
  return layout;
}

/// Returns the ranges that are in both, ascending.
std::vector<IndexRange> in_both(const std::vector<IndexRange>& a, const std::vector<IndexRange>& b) {
  std::vector<IndexRange> result;
  for (const IndexRange& x : a)
    for (const IndexRange& y : b)
      if (const IndexRange both{std::max(x.first, y.first), std::min(x.end, y.end)}; both.first < both.end)
        result.push_back(both);
  return result;
}

/// Returns the indices of one dimension of the logical tensor that a rank holds, in its order.
std::vector<IndexRange> held_of(const TensorLayout& layout, int64_t dim, int64_t count) {
  std::vector<IndexRange> held = {{0, count}};
  for (const Placement& placement : layout.placements)
    if (const Shard* shard = std::get_if<Shard>(&placement.kind); shard != nullptr && shard->dim == dim)
      held = in_both(held, shard->ranges);
  return held;
}

torch::Tensor indices(const std::vector<IndexRange>& ranges) {
  std::vector<torch::Tensor> runs = {torch::empty({0}, torch::kInt64)};
  for (const IndexRange& range : ranges)
    runs.push_back(torch::arange(range.first, range.end, torch::kInt64));
  return at::cat(runs);
}

/// Returns the indices of each dimension; undefined where the rank holds all of it.
std::vector<torch::Tensor> indices_of(const TensorLayout& layout) {
  std::vector<torch::Tensor> result(layout.global_shape.size());
  for (size_t dim = 0; dim < result.size(); ++dim) {
    const int64_t count = layout.global_shape[dim];
    const std::vector<IndexRange> held = held_of(layout, static_cast<int64_t>(dim), count);
    if (held != std::vector<IndexRange>{{0, count}})
      result[dim] = indices(held);
  }
  return result;
}

}  // namespace

TensorLayout replicated_over(const TensorLayout& layout, const torch::Tensor& held,
                             const std::string& mesh_dimension, const Group& ranks) {
  return with(layout, held, {mesh_dimension, ranks.rank(), ranks.size(), parity::Replicate{}});
}

TensorLayout sharded_over(const TensorLayout& layout, const torch::Tensor& held, int64_t dim,
                          const std::string& mesh_dimension, const Group& ranks) {
  return sharded_over(layout, held, dim, {MeshPlace{mesh_dimension, ranks.rank(), ranks.size()}}, ranks);
}

TensorLayout sharded_over(TensorLayout layout, const torch::Tensor& held, int64_t dim,
                          const std::vector<MeshPlace>& places, const Group& ranks) {
  const IndexRange mine = part_of(held.size(dim), ranks.size(), ranks.rank());
  // The elements that this rank holds, as indices of the logical tensor.
  std::vector<IndexRange> ranges;
  int64_t passed = 0;
  const int64_t count =
      layout.global_shape.empty() ? held.size(dim) : layout.global_shape.at(static_cast<size_t>(dim));
  for (const IndexRange& range : held_of(layout, dim, count)) {
    const IndexRange cut{std::max(mine.first, passed), std::min(mine.end, passed + range.end - range.first)};
    if (cut.first < cut.end)
      ranges.push_back({range.first + cut.first - passed, range.first + cut.end - passed});
    passed += range.end - range.first;
  }
  for (const auto& [dimension, coordinate, size] : places)
    layout = with(std::move(layout), held, {dimension, coordinate, size, Shard{dim, ranges}});
  return layout;
}

std::vector<torch::Tensor> held_indices(const TensorLayout& layout, at::IntArrayRef shape) {
  std::vector<torch::Tensor> result;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    result.push_back(indices(held_of(layout, static_cast<int64_t>(dim), shape[dim])));
  return result;
}

std::vector<std::vector<IndexRange>> held_ranges(const TensorLayout& layout, at::IntArrayRef shape) {
  std::vector<std::vector<IndexRange>> result(shape.size());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    for (const IndexRange& range : held_of(layout, static_cast<int64_t>(dim), shape[dim]))
      if (std::vector<IndexRange>& joined = result[dim]; !joined.empty() && joined.back().end == range.first)
        joined.back().end = range.end;
      else
        joined.push_back(range);
  return result;
}

torch::Tensor part_of_logical(const torch::Tensor& whole, const TensorLayout& layout) {
  torch::Tensor part = whole;
  const std::vector<torch::Tensor> held = indices_of(layout);
  for (size_t dim = 0; dim < held.size(); ++dim)
    if (held[dim].defined())
      part = part.index_select(static_cast<int64_t>(dim), held[dim]);
  return part.contiguous();
}

torch::Tensor logical_tensor(const torch::Tensor& held, const TensorLayout& layout, const Group& world) {
  torch::Tensor part = held.cpu();
  if (!is_sharded(layout))
    return part;
  // Sums integers with zeros, so that -0 and NaN stay unchanged too.
  const torch::ScalarType bits = part.element_size() == 8 ? torch::kInt64 : torch::kInt32;
  const torch::Tensor whole = torch::zeros(layout.global_shape, bits);
  if (counts(layout)) {
    const std::vector<torch::Tensor> own = indices_of(layout);
    torch::Tensor numbers = part.detach().view(bits);
    c10::List<std::optional<torch::Tensor>> grid;
    for (size_t dim = 0; dim < own.size(); ++dim) {
      std::vector<int64_t> shape(own.size(), 1);
      shape[dim] = -1;
      grid.push_back((own[dim].defined() ? own[dim] : torch::arange(layout.global_shape[dim], torch::kInt64))
                         .view(shape));
    }
    whole.index_put_(grid, numbers);
  }
  world.all_reduce(whole);
  return whole.view(part.scalar_type());
}

}  // namespace parity::reference
