// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/queue.hpp"
#include "harness/measure/measurement.hpp"

namespace parity::cuda {

/// `measure_tensor` of memory that a queue's device has: the same bits.
///
/// What comes to the host is some 600 bytes, whatever the tensor's size.
/// \param view  its data is memory of the device, aligned for its elements
Measurement measure_tensor_on(Queue& queue, const TensorView& view, const TensorLayout& layout = {});

}  // namespace parity::cuda
