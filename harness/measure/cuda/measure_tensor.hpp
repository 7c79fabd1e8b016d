// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/queue.hpp"
#include "harness/measure/tensor/measurement.hpp"

namespace parity::measure::cuda {

/// Measures a tensor in the memory of a queue's device. Gives the same bits as `measure_tensor`.
///
/// About 600 bytes are copied to the host, whatever the tensor's size.
/// \param view  its data is device memory, aligned for its elements
Measurement measure_tensor_on(Queue& queue, const TensorView& view, const TensorLayout& layout = {});

}  // namespace parity::measure::cuda
