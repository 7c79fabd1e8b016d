// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/views/strided_view.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/base/error.hpp"

namespace parity::checkpoints {
namespace {

std::vector<int64_t> row_major(const Shape& shape) {
  if (element_count(shape) == 0)  // whose other sizes may have any product
    return std::vector<int64_t>(shape.size(), 0);
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Copies a matrix of elements of one size, tile by tile, so that both sides stay in the cache.
template <size_t bytes>
void copy_matrix(const std::byte* from, const Shape& shape, const std::vector<int64_t>& strides,
                 std::byte* to) {
  constexpr int64_t tile = 32;
  using Element = std::array<std::byte, bytes>;
  const int64_t rows = shape[0], columns = shape[1];
  for (int64_t row = 0; row < rows; row += tile)
    for (int64_t column = 0; column < columns; column += tile)
      for (int64_t i = row; i < std::min(row + tile, rows); ++i)
        for (int64_t j = column; j < std::min(column + tile, columns); ++j)
          std::memcpy(to + static_cast<size_t>(i * columns + j) * bytes,
                      from + (i * strides[0] + j * strides[1]) * static_cast<int64_t>(bytes),
                      sizeof(Element));
}

void copy_matrix(const StridedView& view, std::byte* to) {
  switch (size_of(view.dtype)) {
    case 1:
      return copy_matrix<1>(view.data, view.shape, view.strides, to);
    case 2:
      return copy_matrix<2>(view.data, view.shape, view.strides, to);
    case 4:
      return copy_matrix<4>(view.data, view.shape, view.strides, to);
    default:
      return copy_matrix<8>(view.data, view.shape, view.strides, to);
  }
}

}  // namespace

bool StridedView::is_contiguous() const {
  if (size() == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

StridedView view_of(const TensorView& tensor) {
  return {tensor.dtype, tensor.shape, static_cast<const std::byte*>(tensor.data), row_major(tensor.shape)};
}

StridedView split(const StridedView& view, size_t dimension, const Shape& sizes) {
  require(element_count(sizes) == view.shape.at(dimension), "a split into other sizes");
  StridedView result = view;
  const auto at = static_cast<std::ptrdiff_t>(dimension);
  std::vector<int64_t> strides = row_major(sizes);
  for (int64_t& stride : strides)
    stride *= view.strides[dimension];
  result.shape.erase(result.shape.begin() + at);
  result.strides.erase(result.strides.begin() + at);
  result.shape.insert(result.shape.begin() + at, sizes.begin(), sizes.end());
  result.strides.insert(result.strides.begin() + at, strides.begin(), strides.end());
  return result;
}

StridedView permute(const StridedView& view, const std::vector<size_t>& order) {
  StridedView result = view;
  for (size_t i = 0; i < order.size(); ++i) {
    result.shape[i] = view.shape.at(order[i]);
    result.strides[i] = view.strides.at(order[i]);
  }
  return result;
}

StridedView slice(const StridedView& view, size_t dimension, int64_t first, int64_t count) {
  StridedView result = view;
  require(first >= 0 && count >= 0 && first + count <= view.shape.at(dimension), "a slice outside a tensor");
  result.data += first * view.strides[dimension] * static_cast<int64_t>(size_of(view.dtype));
  result.shape[dimension] = count;
  return result;
}

StridedView select(const StridedView& view, int64_t index) {
  StridedView result = slice(view, 0, index, 1);
  result.shape.erase(result.shape.begin());
  result.strides.erase(result.strides.begin());
  return result;
}

StridedView transpose(const StridedView& view) {
  std::vector<size_t> order(view.shape.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::swap(order.at(order.size() - 1), order.at(order.size() - 2));
  return permute(view, order);
}

StridedView flatten(const StridedView& view) {
  require(view.is_contiguous(), "a flattened view with holes");
  return {view.dtype, {view.size()}, view.data, {1}};
}

void gather(const StridedView& view, std::byte* to) {
  const size_t bytes = static_cast<size_t>(view.size()) * size_of(view.dtype);
  if (bytes == 0)
    return;
  if (view.is_contiguous()) {
    std::memcpy(to, view.data, bytes);
  } else if (view.shape.size() == 1) {
    copy_matrix(split(view, 0, {1, view.shape[0]}), to);
  } else if (view.shape.size() == 2 && view.strides[1] != 1) {
    copy_matrix(view, to);
  } else {
    for (int64_t i = 0; i < view.shape[0]; ++i)
      gather(select(view, i), to + static_cast<size_t>(i) * (bytes / static_cast<size_t>(view.shape[0])));
  }
}

bool for_each_piece(const StridedView& a, const StridedView& b, int64_t most,
                    const std::function<bool(const StridedView& a, const StridedView& b)>& work) {
  if (a.size() <= most)
    return a.size() == 0 || work(a, b);
  const int64_t rows = a.shape[0], row = a.size() / rows;
  if (row > most) {
    for (int64_t i = 0; i < rows; ++i)
      if (!for_each_piece(select(a, i), select(b, i), most, work))
        return false;
    return true;
  }
  const int64_t step = most / row;
  for (int64_t i = 0; i < rows; i += step) {
    const int64_t count = std::min(step, rows - i);
    if (!work(slice(a, 0, i, count), slice(b, 0, i, count)))
      return false;
  }
  return true;
}

}  // namespace parity::checkpoints
