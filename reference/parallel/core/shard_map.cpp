// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/shard_map.hpp"

#include <algorithm>

#include "reference/parallel/core/layout.hpp"

namespace parity::reference {
namespace {

std::vector<int64_t> whole_shape(const Parameter& tensor) {
  return tensor.layout.global_shape.empty() ? tensor.value.sizes().vec() : tensor.layout.global_shape;
}

/// Returns indices as a vector of the dimension's length, with -1 behind them.
torch::Tensor padded_indices(const torch::Tensor& indices, int64_t length) {
  torch::Tensor padded = torch::full({length}, -1, torch::kInt64);
  padded.narrow(0, 0, indices.size(0)).copy_(indices);
  return padded;
}

/// Returns the first index if the indices are consecutive, else -1.
int64_t first_of_run(const torch::Tensor& indices) {
  const int64_t count = indices.size(0), first = indices[0].item<int64_t>();
  return at::equal(indices, torch::arange(first, first + count, torch::kInt64)) ? first : -1;
}

/// Returns the part of `whole` that runs of indices select, if every dimension is one run; else nothing.
std::optional<torch::Tensor> block_of(const torch::Tensor& whole, const std::vector<torch::Tensor>& place) {
  torch::Tensor block = whole;
  for (size_t dim = 0; dim < place.size(); ++dim) {
    const int64_t first = first_of_run(place[dim]);
    if (first < 0)
      return std::nullopt;
    block = block.narrow(static_cast<int64_t>(dim), first, place[dim].size(0));
  }
  return block;
}

std::vector<int64_t> lengths_of(const std::vector<torch::Tensor>& place) {
  std::vector<int64_t> lengths;
  for (const torch::Tensor& indices : place)
    lengths.push_back(indices.size(0));
  return lengths;
}

}  // namespace

ShardMap::ShardMap(const Parameters& tensors, const Group& ranks) {
  std::vector<torch::Tensor> own = {torch::empty({0}, torch::kInt64)};
  for (const Parameter& tensor : tensors) {
    shapes_.push_back(whole_shape(tensor));
    const std::vector<torch::Tensor> held = held_indices(tensor.layout, shapes_.back());
    for (size_t dim = 0; dim < held.size(); ++dim)
      own.push_back(padded_indices(held[dim], shapes_.back()[dim]));
  }
  const torch::Tensor mine = at::cat(own);
  const torch::Tensor all = ranks.all_gather(mine).view({ranks.size(), mine.size(0)});
  for (int64_t rank = 0; rank < ranks.size(); ++rank) {
    std::vector<Place>& places = places_.emplace_back();
    int64_t offset = 0;
    for (const std::vector<int64_t>& shape : shapes_) {
      Place& place = places.emplace_back();
      for (const int64_t length : shape) {
        const torch::Tensor padded = all[rank].narrow(0, offset, length);
        place.push_back(padded.masked_select(padded.ge(0)));
        offset += length;
      }
    }
  }
}

int64_t ShardMap::elements(int64_t tensor, int64_t rank) const {
  return c10::multiply_integers(lengths_of(place_of(tensor, rank)));
}

int64_t ShardMap::most_elements(int64_t tensor) const {
  int64_t most = 0;
  for (int64_t rank = 0; rank < ranks(); ++rank)
    most = std::max(most, elements(tensor, rank));
  return most;
}

void ShardMap::place(const torch::Tensor& whole, int64_t tensor, int64_t rank,
                     const torch::Tensor& flat) const {
  if (elements(tensor, rank) == 0)
    return;
  const Place& place = place_of(tensor, rank);
  const torch::Tensor part = flat.reshape(lengths_of(place));
  if (const std::optional<torch::Tensor> block = block_of(whole, place)) {
    block->copy_(part);
    return;
  }
  c10::List<std::optional<torch::Tensor>> grid;
  for (size_t dim = 0; dim < place.size(); ++dim) {
    std::vector<int64_t> column(place.size(), 1);
    column[dim] = -1;
    grid.push_back(place[dim].to(whole.device()).view(column));
  }
  torch::Tensor(whole).index_put_(grid, part);
}

torch::Tensor ShardMap::cut(const torch::Tensor& whole, int64_t tensor, int64_t rank) const {
  const Place& place = place_of(tensor, rank);
  if (elements(tensor, rank) == 0)
    return torch::empty(lengths_of(place), whole.options());
  if (const std::optional<torch::Tensor> block = block_of(whole, place))
    return block->contiguous();
  torch::Tensor part = whole;
  for (size_t dim = 0; dim < place.size(); ++dim)
    part = part.index_select(static_cast<int64_t>(dim), place[dim].to(whole.device()));
  return part.contiguous();
}

}  // namespace parity::reference
