// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/chunks.hpp"

#include <algorithm>
#include <optional>

#include "reference/parallel/core/layout.hpp"

namespace parity::reference {
namespace {

/// The elements that a held box and a stored chunk have in common.
struct CommonBox {
  std::vector<int64_t> in_held, in_stored, sizes;
};

std::optional<CommonBox> common_of(const HeldChunk& box, at::IntArrayRef offsets, at::IntArrayRef sizes) {
  CommonBox common;
  for (size_t dim = 0; dim < box.sizes.size(); ++dim) {
    const int64_t first = std::max(box.offsets[dim], offsets[dim]);
    const int64_t end = std::min(box.offsets[dim] + box.sizes[dim], offsets[dim] + sizes[dim]);
    if (first >= end)
      return std::nullopt;
    common.in_held.push_back(box.local[dim] + first - box.offsets[dim]);
    common.in_stored.push_back(first - offsets[dim]);
    common.sizes.push_back(end - first);
  }
  return common;
}

}  // namespace

std::vector<HeldChunk> held_chunks(const TensorLayout& layout, at::IntArrayRef shape) {
  std::vector<HeldChunk> chunks = {{}};
  for (const std::vector<IndexRange>& ranges : held_ranges(layout, shape)) {
    std::vector<HeldChunk> longer;
    for (const HeldChunk& chunk : chunks) {
      int64_t local = 0;
      for (const IndexRange& range : ranges) {
        HeldChunk& next = longer.emplace_back(chunk);
        next.offsets.push_back(range.first);
        next.local.push_back(local);
        next.sizes.push_back(range.end - range.first);
        local += range.end - range.first;
      }
    }
    chunks = std::move(longer);
  }
  return chunks;
}

std::vector<int64_t> held_sizes(const TensorLayout& layout, at::IntArrayRef shape) {
  std::vector<int64_t> sizes;
  for (const std::vector<IndexRange>& ranges : held_ranges(layout, shape)) {
    sizes.push_back(0);
    for (const IndexRange& range : ranges)
      sizes.back() += range.end - range.first;
  }
  return sizes;
}

torch::Tensor box_of(const torch::Tensor& tensor, at::IntArrayRef offsets, at::IntArrayRef sizes) {
  torch::Tensor box = tensor;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    box = box.narrow(static_cast<int64_t>(dim), offsets[dim], sizes[dim]);
  return box;
}

int64_t copy_common(const torch::Tensor& held, const std::vector<HeldChunk>& boxes, at::IntArrayRef offsets,
                    const torch::Tensor& stored) {
  int64_t copied = 0;
  for (const HeldChunk& box : boxes)
    if (const auto common = common_of(box, offsets, stored.sizes())) {
      box_of(held, common->in_held, common->sizes).copy_(box_of(stored, common->in_stored, common->sizes));
      copied += c10::multiply_integers(common->sizes);
    }
  return copied;
}

bool have_common(const std::vector<HeldChunk>& boxes, at::IntArrayRef offsets, at::IntArrayRef sizes) {
  return std::any_of(boxes.begin(), boxes.end(),
                     [&](const HeldChunk& box) { return common_of(box, offsets, sizes).has_value(); });
}

}  // namespace parity::reference
