// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/sketch_row.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/measure/sketch.hpp"
#include "harness/measure/statistics.hpp"

namespace parity {
namespace {

/// All but digest and block sums.
SketchRow row_of_elements(TensorKey key, int64_t order, const TensorView& view) {
  const Statistics statistics = statistics_of(view);
  return {.key = std::move(key),
          .order = order,
          .dtype = view.dtype,
          .shape = view.shape,
          .nan_count = statistics.nan_count,
          .inf_count = statistics.inf_count,
          .norm = statistics.norm,
          .max_abs = statistics.max_abs,
          .digest = {},
          .values = {}};
}

void add_sums(std::vector<double>& sums, const std::vector<double>& more) {
  require(sums.size() == more.size(), "sketches of different sizes");
  for (size_t b = 0; b < sums.size(); ++b)
    sums[b] += more[b];
}

}  // namespace

SketchRow sketch_row(TensorKey key, int64_t order, const TensorView& view) {
  SketchRow row = row_of_elements(std::move(key), order, view);
  row.digest = digest_of(view);
  row.values = sketch_of(view);
  return row;
}

SketchRow part_sketch_row(TensorKey key, int64_t order, const TensorView& view, const PartCover& cover,
                          const Shape& global_shape) {
  SketchRow row = row_of_elements(std::move(key), order, view);
  row.values.assign(sketch_size, 0.0);
  const int64_t whole_count = element_count(global_shape);
  const auto* data = static_cast<const std::byte*>(view.data);
  for_each_run(cover, global_shape, [&](const PartRun& run) {
    const TensorView piece = {
        view.dtype, {run.count}, data + static_cast<size_t>(run.local) * size_of(view.dtype)};
    row.digest += digest_of(piece, static_cast<uint64_t>(run.global));
    add_sums(row.values, sketch_of(piece, run.global, whole_count));
  });
  return row;
}

void add_part(SketchRow& sum, const SketchRow& part) {
  sum.nan_count += part.nan_count;
  sum.inf_count += part.inf_count;
  sum.norm = std::hypot(sum.norm, part.norm);
  sum.max_abs = std::max(sum.max_abs, part.max_abs);
  sum.digest += part.digest;
  add_sums(sum.values, part.values);
}

}  // namespace parity
