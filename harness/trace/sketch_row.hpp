// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/measurement.hpp"
#include "harness/trace/trace.hpp"

namespace parity {

/// The row of a tensor, or the share of a part in the logical tensor's row; `shape` is then the part's.
SketchRow sketch_row(TensorKey key, int64_t order, DType dtype, const Shape& shape, Measurement found);

/// Adds the row of another part of the same tensor. Norms add by their squares; the digest is exact, the
/// block sums but for rounding.
void add_part(SketchRow& sum, const SketchRow& part);

}  // namespace parity
