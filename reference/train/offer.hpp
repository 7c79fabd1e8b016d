// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/tensor/tensor_view.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/cuda/device.hpp"

namespace at {
class Tensor;
}

namespace parity::reference {

/// The element type of a trace; nothing for one that it has not.
std::optional<DType> dtype_of(const at::Tensor& x);

/// The memory of a tensor, wherever it is. \throws InternalError if it is not contiguous
TensorView view_of(const at::Tensor& x);

/// Offers a tensor of any strides and device to a Recorder, in row-major order, and writes back into it what
/// a fault has changed, behind autograd's back. Of no differentiable kind: an operator on the way would be
/// part of the run.
/// \param device  that x may lie on: there it is measured, where its elements are not wanted
/// \param layout  of the tensor in the logical one; its shape may be the tensor's own in other words
void offer(Recorder& recorder, const Device& device, Phase phase, const std::string& name,
           const at::Tensor& x, const Shape& shape, const TensorLayout& layout = {});

/// The same of a tensor that is computed a second time in a step: nothing is recorded, and the Recorder's
/// teacher puts in place what it did the first time.
void offer_again(Recorder& recorder, Phase phase, const std::string& name, const at::Tensor& x,
                 const Shape& shape, const TensorLayout& layout = {});

}  // namespace parity::reference
