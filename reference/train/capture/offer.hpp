// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/cuda/device.hpp"

namespace parity::reference {

/// Returns the element type of a trace, or nothing if traces do not have it.
std::optional<DType> dtype_of(const at::Tensor& x);

/// Returns a view of a tensor's memory on any device. \throws InternalError if it is not contiguous
TensorView view_of(const at::Tensor& x);

/// Applies the capture's faults to a tensor of an exact twin. An element whose bits they change gets another
/// residue. Does nothing outside of an exact twin, where `offer` applies them.
void plant_faults(trace::Recorder& recorder, trace::Phase phase, const std::string& name, const at::Tensor& x,
                  const Shape& shape, const TensorLayout& layout);

/// Offers a tensor of any strides and device to a Recorder, in row-major order, and writes back what a fault
/// has changed, without autograd's knowledge. Nothing here is differentiable, since it would become part of
/// the run.
/// \param device  of the run. A tensor there is measured there, unless its elements are wanted
/// \param layout  of the tensor in the logical one; its shape may view the same elements differently
void offer(trace::Recorder& recorder, const Device& device, trace::Phase phase, const std::string& name,
           const at::Tensor& x, const Shape& shape, const TensorLayout& layout = {});

/// Offers a tensor that a step computes for the second time. Nothing is recorded, and the Recorder's teacher
/// puts in the values that it put in the first time.
void offer_again(trace::Recorder& recorder, trace::Phase phase, const std::string& name, const at::Tensor& x,
                 const Shape& shape, const TensorLayout& layout = {});

}  // namespace parity::reference
