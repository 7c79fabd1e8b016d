// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/measure/tensor/digest.hpp"
#include "harness/measure/tensor/measurement.hpp"
#include "harness/tensor/dtype.hpp"
#include "harness/tensor/shape.hpp"
#include "harness/trace/format/tensor_key.hpp"

namespace parity::trace {

/// One row of /sketches: statistics, digest and sketch of a tensor.
struct SketchRow {
  TensorKey key;
  int64_t order = 0;  ///< execution order within the step
  DType dtype = DType::float32;
  Shape shape;
  int64_t nan_count = 0;
  int64_t inf_count = 0;
  double norm = 0;     ///< L2, over the finite elements
  double max_abs = 0;  ///< over the finite elements
  measure::Digest digest;
  std::vector<double> values;  ///< K block sums (METRICS.md M16b)
};

/// Returns the row of a tensor, or a part's contribution to the logical tensor's row; `shape` is then the
/// part's.
SketchRow sketch_row(TensorKey key, int64_t order, DType dtype, const Shape& shape,
                     measure::Measurement found);

/// Adds the row of another part of the same tensor. Norms add by their squares. The sum of the digests is
/// exact; the sum of the block sums is exact up to rounding.
void add_part(SketchRow& sum, const SketchRow& part);

}  // namespace parity::trace
