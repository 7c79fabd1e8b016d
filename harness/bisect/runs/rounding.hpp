// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/bisect/traces/tensor_path.hpp"

namespace parity {

/// The relative gap that rounding may leave in float64 where it left one in float32: 2^20 times less
/// (CollapseRule).
inline constexpr double collapsed_gap = 0x1p-33;

/// Of one tensor, by another order of sums: 64 epsilons of float32, about what a layer of a small model
/// makes; of the 16-bit dtypes 4, since they are summed in float32 and rounded once or twice.
double most_rounding(DType dtype);

/// The dtype of the fewest digits in which a tensor of an update is computed. Gradients that are kept in
/// float32 have the digits of the bfloat16 products that make them.
DType coarsest_dtype(const TensorPath& path);

/// Whether a difference may be nothing but another order of sums, in an update with that coarsest dtype.
bool is_of_roundings_size(const TensorStation& station, DType coarsest);

}  // namespace parity
