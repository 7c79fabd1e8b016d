// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/sketch.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/measure/lanes/mix.hpp"
#include "harness/measure/lanes/simd.hpp"
#include "harness/measure/lanes/widen.hpp"

namespace parity::measure {
namespace {

constexpr int64_t group = sign_group;

/// Returns the signed sum of the elements [begin, end) (global indices) of one block.
struct SignedSum {
  double operator()(DType dtype, const std::byte* data, int64_t begin, int64_t end, bool skip) const {
    simd::Doubles total = {};
    const simd::Words lane = {0, 1, 2, 3};
    alignas(64) double values[group];
    for (int64_t i = begin; i < end;) {
      const int64_t first = i / group * group;
      const int64_t stop = std::min(end, first + group);
      if (stop - i < group)
        std::fill(values, values + group, 0.0);
      widen_block(dtype, data, static_cast<size_t>(stop - i), values + (i - first));
      data += static_cast<size_t>(stop - i) * size_of(dtype);
      if (skip)
        for (double& value : values)
          value = std::isfinite(value) ? value : 0.0;
      const uint64_t signs = sketch_signs(static_cast<uint64_t>(first / group));
      for (size_t j = 0; j < group; j += simd::lanes) {
        simd::Words v;
        std::memcpy(&v, values + j, sizeof v);
        v ^= ((signs >> j) >> lane) << 63;
        total += (simd::Doubles)v;
      }
      i = stop;
    }
    double lane_sums[simd::lanes];
    std::memcpy(lane_sums, &total, sizeof total);
    return simd::sum(lane_sums);
  }
};

}  // namespace

int64_t sketch_block(int64_t index, int64_t count) {
  return index * sketch_size / count;
}

int64_t first_of_sketch_block(int64_t block, int64_t count) {
  return (block * count + sketch_size - 1) / sketch_size;
}

std::vector<double> sketch_of(const TensorView& view, int64_t first_index, int64_t whole_count) {
  std::vector<double> sums(sketch_size, 0.0);
  const int64_t end = first_index + view.size();
  const int64_t count = whole_count < 0 ? end : whole_count;
  require(first_index >= 0 && end <= count && count <= INT64_MAX / (2 * sketch_size),
          "sketch of a part outside its tensor");
  const auto* data = static_cast<const std::byte*>(view.data);
  for (int64_t i = first_index; i < end;) {
    const int64_t block = sketch_block(i, count);
    const int64_t stop = std::min(end, first_of_sketch_block(block + 1, count));
    double sum = simd::run(SignedSum{}, view.dtype, data, i, stop, false);
    if (!std::isfinite(sum))
      sum = simd::run(SignedSum{}, view.dtype, data, i, stop, true);
    sums[static_cast<size_t>(block)] += sum;
    data += static_cast<size_t>(stop - i) * size_of(view.dtype);
    i = stop;
  }
  return sums;
}

}  // namespace parity::measure
