// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/tensor/part.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {

using Ranges = std::vector<IndexRange>;

[[noreturn]] void refuse(const std::string& why) {
  throw UserError(fmt::format("invalid layout of a tensor ({}); give the layout of this rank's shard", why));
}

/// Returns the indices of `later` that `earlier` holds too, in the order of `later`.
Ranges common(const Ranges& earlier, const Ranges& later) {
  Ranges both;
  for (const IndexRange& b : later)
    for (const IndexRange& a : earlier)
      if (const IndexRange cut{std::max(a.first, b.first), std::min(a.end, b.end)}; cut.first < cut.end)
        both.push_back(cut);
  return both;
}

int64_t size_of(const Ranges& ranges) {
  int64_t size = 0;
  for (const IndexRange& range : ranges)
    size += range.end - range.first;
  return size;
}

void check(const Placement& placement) {
  if (placement.size < 1 || placement.coordinate < 0 || placement.coordinate >= placement.size)
    refuse(fmt::format("coordinate {} is outside mesh dimension {} of size {}", placement.coordinate,
                       placement.mesh_dimension, placement.size));
}

void check(const Shard& shard, const Placement& placement, const Shape& shape) {
  if (shard.dim < 0 || shard.dim >= static_cast<int64_t>(shape.size()))
    refuse(fmt::format("mesh dimension {} shards dimension {} of shape {}", placement.mesh_dimension,
                       shard.dim, to_string(shape)));
  for (const IndexRange& range : shard.ranges)
    if (range.first < 0 || range.end < range.first || range.end > shape[static_cast<size_t>(shard.dim)])
      refuse(fmt::format("mesh dimension {} has indices {} to {} of dimension {} of shape {}",
                         placement.mesh_dimension, range.first, range.end, shard.dim, to_string(shape)));
}

}  // namespace

bool is_whole(const TensorLayout& layout) {
  return std::all_of(layout.placements.begin(), layout.placements.end(), [](const Placement& placement) {
    return std::holds_alternative<Replicate>(placement.kind);
  });
}

PartCover cover_of(const TensorLayout& layout) {
  PartCover cover;
  for (const int64_t size : layout.global_shape)
    cover.ranges.push_back({{0, size}});
  for (const Placement& placement : layout.placements) {
    check(placement);
    if (std::holds_alternative<Partial>(placement.kind))
      cover.term.push_back(placement.coordinate);
    const auto* shard = std::get_if<Shard>(&placement.kind);
    if (!shard)
      continue;
    check(*shard, placement, layout.global_shape);
    Ranges& ranges = cover.ranges[static_cast<size_t>(shard->dim)];
    ranges = common(ranges, shard->ranges);
  }
  return cover;
}

std::vector<IndexRange> ranges_of(const std::vector<int64_t>& indices) {
  std::vector<IndexRange> ranges;
  for (const int64_t index : indices)
    if (!ranges.empty() && ranges.back().end == index)
      ++ranges.back().end;
    else
      ranges.push_back({index, index + 1});
  return ranges;
}

Shape shape_of(const PartCover& cover) {
  Shape shape;
  for (const Ranges& ranges : cover.ranges)
    shape.push_back(size_of(ranges));
  return shape;
}

namespace {

/// The smallest range of one dimension that contains a cover's.
struct Extent {
  int64_t begin;
  int64_t end;
  size_t cover;
};

Extent extent_of(const Ranges& ranges, size_t cover) {
  Extent extent = {ranges.front().first, ranges.front().end, cover};
  for (const IndexRange& range : ranges) {
    extent.begin = std::min(extent.begin, range.first);
    extent.end = std::max(extent.end, range.end);
  }
  return extent;
}

}  // namespace

bool overlap(const PartCover& a, const PartCover& b) {
  if (a.term != b.term)
    return false;
  for (size_t dim = 0; dim < a.ranges.size(); ++dim)
    if (common(a.ranges[dim], b.ranges[dim]).empty())
      return false;
  return true;
}

std::optional<std::pair<size_t, size_t>> find_overlap(const std::vector<const PartCover*>& covers) {
  const size_t rank = covers.empty() ? 0 : covers.front()->ranges.size();
  // The extent of each cover along the dimension that separates most of them.
  std::vector<Extent> extents;
  size_t most_starts = 0;
  for (size_t dim = 0; dim < std::max<size_t>(rank, 1); ++dim) {
    std::vector<Extent> here;
    std::set<int64_t> starts;
    for (size_t i = 0; i < covers.size(); ++i)
      if (element_count(shape_of(*covers[i])) > 0) {
        here.push_back(rank == 0 ? Extent{0, 1, i} : extent_of(covers[i]->ranges[dim], i));
        starts.insert(here.back().begin);
      }
    if (starts.size() > most_starts) {
      most_starts = starts.size();
      extents = std::move(here);
    }
  }
  std::ranges::sort(extents, {}, &Extent::begin);
  for (size_t i = 0; i < extents.size(); ++i)
    for (size_t j = i + 1; j < extents.size() && extents[j].begin < extents[i].end; ++j)
      if (const size_t a = extents[i].cover, b = extents[j].cover; overlap(*covers[a], *covers[b]))
        return std::pair(std::min(a, b), std::max(a, b));
  return std::nullopt;
}

void for_each_run(const PartCover& cover, const Shape& global_shape,
                  const std::function<void(const PartRun&)>& take) {
  const Shape part = shape_of(cover);
  if (element_count(part) == 0)
    return;
  // Dimensions after `last` are whole; the ranges of `last` are the runs.
  size_t last = part.size();
  int64_t inner = 1;
  while (last > 0 && cover.ranges[last - 1] == Ranges{{0, global_shape[last - 1]}})
    inner *= global_shape[--last];
  if (last == 0)
    return take({0, 0, inner});
  const Shape outer(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(last) - 1);
  // Global index of each index of the part: one list per dimension before the last.
  std::vector<std::vector<int64_t>> places(outer.size());
  for (size_t dim = 0; dim < outer.size(); ++dim)
    for (const IndexRange& range : cover.ranges[dim])
      for (int64_t i = range.first; i < range.end; ++i)
        places[dim].push_back(i);
  int64_t local = 0;
  for (int64_t row = 0; row < element_count(outer); ++row) {
    int64_t global_row = 0;
    const std::vector<int64_t> at = coordinates(outer, row);
    for (size_t dim = 0; dim < outer.size(); ++dim)
      global_row = global_row * global_shape[dim] + places[dim][static_cast<size_t>(at[dim])];
    for (const IndexRange& range : cover.ranges[last - 1]) {
      const int64_t count = (range.end - range.first) * inner;
      take({local, (global_row * global_shape[last - 1] + range.first) * inner, count});
      local += count;
    }
  }
}

}  // namespace parity
