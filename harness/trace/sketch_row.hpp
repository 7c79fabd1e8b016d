// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/tensor/part.hpp"
#include "harness/trace/trace.hpp"

namespace parity {

/// Statistics, digest and sketch of a whole tensor.
SketchRow sketch_row(TensorKey key, int64_t order, const TensorView& view);

/// The share of a part in the logical tensor's row: counts and norm of its own elements, digest and block
/// sums by their global indices, so that rows of disjoint parts add up. `shape` is the part's.
SketchRow part_sketch_row(TensorKey key, int64_t order, const TensorView& view, const PartCover& cover,
                          const Shape& global_shape);

/// Adds the row of another part of the same tensor. Norms add by their squares; the digest is exact, the
/// block sums but for rounding.
void add_part(SketchRow& sum, const SketchRow& part);

}  // namespace parity
