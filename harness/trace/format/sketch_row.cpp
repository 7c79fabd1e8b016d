// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/sketch_row.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"

namespace parity::trace {
namespace {

void add_sums(std::vector<double>& sums, const std::vector<double>& more) {
  require(sums.size() == more.size(), "sketches of different sizes");
  for (size_t b = 0; b < sums.size(); ++b)
    sums[b] += more[b];
}

}  // namespace

SketchRow sketch_row(TensorKey key, int64_t order, DType dtype, const Shape& shape,
                     measure::Measurement found) {
  return {.key = std::move(key),
          .order = order,
          .dtype = dtype,
          .shape = shape,
          .nan_count = found.statistics.nan_count,
          .inf_count = found.statistics.inf_count,
          .norm = found.statistics.norm,
          .max_abs = found.statistics.max_abs,
          .digest = found.digest,
          .values = std::move(found.sketch)};
}

void add_part(SketchRow& sum, const SketchRow& part) {
  sum.nan_count += part.nan_count;
  sum.inf_count += part.inf_count;
  sum.norm = std::hypot(sum.norm, part.norm);
  sum.max_abs = std::max(sum.max_abs, part.max_abs);
  sum.digest += part.digest;
  add_sums(sum.values, part.values);
}

}  // namespace parity::trace
