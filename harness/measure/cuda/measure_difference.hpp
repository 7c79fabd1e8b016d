// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/queue.hpp"
#include "harness/measure/difference/difference.hpp"

namespace parity::measure::cuda {

/// Measures two tensors in the memory of a queue's device, under the strict policy and without a profile.
/// Gives the same bits as `measure_difference`.
/// \throws UserError if shapes or dtypes differ
Difference measure_difference_on(Queue& queue, const TensorView& expected, const TensorView& actual);

}  // namespace parity::measure::cuda
