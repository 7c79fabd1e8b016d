// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/tensor/tensor_view.hpp"

namespace parity::measure {

/// Statistics of one tensor's elements.
struct Statistics {
  int64_t nan_count = 0;
  int64_t inf_count = 0;
  double norm = 0;     ///< L2 over the finite elements; 0 if there are none
  double max_abs = 0;  ///< over the finite elements
};

/// Returns the statistics of a tensor from one pass. Squares are summed in float64, block by block in index
/// order.
///
/// Float64 values whose squares overflow or underflow are summed in a second, scaled pass. Determinism: the
/// same bits on every machine and for any number of threads.
Statistics statistics_of(const TensorView& view);

/// Returns the factor that values of up to `max_abs` are multiplied by before their squares are summed. It is
/// 1, or a power of two if squares would overflow or underflow.
double norm_scale(double max_abs);

}  // namespace parity::measure
