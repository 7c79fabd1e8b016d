// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/bisect/traces/tensor_path.hpp"

namespace parity::bisect {

/// Largest relative gap that rounding may leave in float64: 2^20 times less than in float32 (CollapseRule).
inline constexpr double collapsed_gap = 0x1p-33;

/// Returns the largest relative gap that another order of sums makes in one tensor. For float32 it is 64
/// epsilons, about that of a layer of a small model. For 16-bit dtypes it is 4, since sums are in float32 and
/// rounded once or twice.
double most_rounding(DType dtype);

/// Returns the dtype with the fewest digits of any tensor of an update. A gradient stored in float32 has only
/// the digits of the bfloat16 products that make it.
DType coarsest_dtype(const TensorPath& path);

/// Returns whether another order of sums may explain a difference, in an update with that coarsest dtype.
bool is_of_roundings_size(const TensorStation& station, DType coarsest);

}  // namespace parity::bisect
