// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/core/parts.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

/// Returns x padded with rows of zeros up to a number of rows.
torch::Tensor padded(const torch::Tensor& x, int64_t rows) {
  if (x.size(0) == rows)
    return x.contiguous();
  std::vector<int64_t> shape = x.sizes().vec();
  shape[0] = rows;
  const torch::Tensor result = torch::zeros(shape, x.options());
  result.narrow(0, 0, x.size(0)).copy_(x);
  return result;
}

int64_t longest_part(int64_t count, const Group& group) {
  return part_of(count, group.size(), 0).end;
}

IndexRange part_of_this(int64_t count, const Group& group) {
  return part_of(count, group.size(), group.rank());
}

}  // namespace

IndexRange part_of(int64_t count, int64_t parts, int64_t part) {
  const int64_t length = (count + parts - 1) / parts;
  return {std::min(count, part * length), std::min(count, (part + 1) * length)};
}

torch::Tensor own_part(const torch::Tensor& x, int64_t dim, const Group& group) {
  const auto [first, end] = part_of_this(x.size(dim), group);
  return x.narrow(dim, first, end - first);
}

torch::Tensor gather_parts(const torch::Tensor& x, int64_t dim, int64_t count, const Group& group) {
  const auto [first, end] = part_of_this(count, group);
  require(x.size(dim) == end - first, "a part of " + std::to_string(x.size(dim)) + " where rank " +
                                          std::to_string(group.rank()) + " has " +
                                          std::to_string(end - first) + " of " + std::to_string(count));
  const torch::Tensor rows = padded(x.movedim(dim, 0), longest_part(count, group));
  return group.all_gather(rows).narrow(0, 0, count).movedim(0, dim).contiguous();
}

torch::Tensor reduce_scatter_parts(const torch::Tensor& x, int64_t dim, const Group& group) {
  const int64_t count = x.size(dim);
  const auto [first, end] = part_of_this(count, group);
  const torch::Tensor rows = padded(x.movedim(dim, 0), group.size() * longest_part(count, group));
  return group.reduce_scatter(rows).narrow(0, 0, end - first).movedim(0, dim).contiguous();
}

}  // namespace parity::reference
