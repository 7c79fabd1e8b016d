// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/strides.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "harness/base/error.hpp"

namespace parity::capi {
namespace {

/// A dimension with more than one element, in the order of memory.
struct Axis {
  int64_t size;
  int64_t stride;  ///< its magnitude
};

[[noreturn]] void refuse_shape(const Shape& shape, const std::string& why) {
  throw UserError("cannot read a tensor of shape " + to_string(shape) + " (" + why +
                  "); give its sizes and its strides in elements");
}

int64_t product(int64_t a, int64_t b, const Shape& shape) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || std::abs(result) > std::numeric_limits<int64_t>::max() / 64)
    refuse_shape(shape, "it does not fit into memory");
  return result;
}

int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0)
      refuse_shape(shape, "a size is negative");
    count = product(count, size, shape);
  }
  return count;
}

std::vector<int64_t> row_major_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

std::vector<Axis> axes_of(const StridedPlaces& places) {
  std::vector<Axis> axes;
  for (size_t d = 0; d < places.shape.size(); ++d)
    if (places.shape[d] > 1)
      axes.push_back({places.shape[d], std::abs(places.strides[d])});
  std::ranges::stable_sort(axes, {}, &Axis::stride);
  return axes;
}

/// Sets what lies between the lowest and the highest element.
void find_span(StridedPlaces& places) {
  int64_t below = 0, above = 0;
  for (size_t d = 0; d < places.shape.size(); ++d) {
    const int64_t reach = product(places.shape[d] - 1, places.strides[d], places.shape);
    int64_t& side = reach < 0 ? below : above;
    if (__builtin_add_overflow(side, std::abs(reach), &side))
      refuse_shape(places.shape, "it does not fit into memory");
  }
  places.first = below;
  places.span = product(below + above + 1, 1, places.shape);
}

/// Returns whether no two elements share a place. May return false for odd strides that share none.
bool are_unique(const StridedPlaces& places) {
  int64_t extent = 1;  // from the lowest to the highest place of the inner dimensions
  for (const Axis& axis : axes_of(places)) {
    if (axis.stride < extent)
      return false;
    extent += (axis.size - 1) * axis.stride;
  }
  return true;
}

/// Calls take(row-major index, offset) for each line along the last dimension.
template <class Take>
void for_each_line(const StridedPlaces& places, const Take& take) {
  const size_t rank = places.shape.size();
  const int64_t length = rank == 0 ? 1 : places.shape.back();
  if (places.span == 0)
    return;
  std::vector<int64_t> index(rank, 0);
  int64_t offset = places.first;
  for (int64_t flat = 0;; flat += length) {
    take(flat, offset, length);
    size_t d = rank < 2 ? 0 : rank - 1;
    while (d > 0) {
      offset += places.strides[d - 1];
      if (++index[d - 1] < places.shape[d - 1])
        break;
      offset -= places.shape[d - 1] * places.strides[d - 1];
      index[--d] = 0;
    }
    if (d == 0)
      return;
  }
}

}  // namespace

StridedPlaces places_of(const Shape& shape, const int64_t* strides) {
  StridedPlaces places;
  places.shape = shape;
  const int64_t count = count_of(shape);
  const std::vector<int64_t> dense = row_major_strides(shape);
  places.strides = strides == nullptr ? dense : std::vector<int64_t>(strides, strides + shape.size());
  places.row_major = true;
  for (size_t d = 0; d < shape.size(); ++d)
    places.row_major = places.row_major && (shape[d] <= 1 || places.strides[d] == dense[d]);
  places.row_major = places.row_major || count == 0;
  places.unique = true;
  if (count == 0)
    return places;
  find_span(places);
  places.unique = are_unique(places);
  return places;
}

PlaceRuns runs_of(const StridedPlaces& places) {
  if (places.span == 0)
    return {};
  PlaceRuns runs = {1, {0}};
  for (const Axis& axis : axes_of(places)) {
    if (axis.stride == 0)
      continue;
    if (runs.starts.size() == 1 && axis.stride == runs.length) {
      runs.length *= axis.size;
      continue;
    }
    std::vector<int64_t> starts;
    starts.reserve(runs.starts.size() * static_cast<size_t>(axis.size));
    for (int64_t i = 0; i < axis.size; ++i)
      for (const int64_t start : runs.starts)
        starts.push_back(start + i * axis.stride);
    runs.starts = std::move(starts);
  }
  return runs;
}

void gather(const StridedPlaces& places, size_t width, const std::byte* lowest, std::byte* to) {
  const int64_t step = places.shape.empty() ? 1 : places.strides.back();
  for_each_line(places, [&](int64_t flat, int64_t offset, int64_t length) {
    for (int64_t i = 0; i < length; ++i)
      std::memcpy(to + static_cast<size_t>(flat + i) * width,
                  lowest + static_cast<size_t>(offset + i * step) * width, width);
  });
}

void scatter(const StridedPlaces& places, size_t width, const std::byte* from, std::byte* lowest) {
  require(places.unique, "elements share a place");
  const int64_t step = places.shape.empty() ? 1 : places.strides.back();
  for_each_line(places, [&](int64_t flat, int64_t offset, int64_t length) {
    for (int64_t i = 0; i < length; ++i)
      std::memcpy(lowest + static_cast<size_t>(offset + i * step) * width,
                  from + static_cast<size_t>(flat + i) * width, width);
  });
}

}  // namespace parity::capi
