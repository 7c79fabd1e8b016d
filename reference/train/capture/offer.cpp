// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/offer.hpp"

#include <ATen/record_function.h>
#include <torch/types.h>

#include "harness/base/error.hpp"
#include "harness/trace/write/pieces.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/shadow.hpp"
#include "reference/train/numerics/exact_twin.hpp"

namespace parity::reference {

std::optional<DType> dtype_of(const at::Tensor& x) {
  switch (x.scalar_type()) {
    case torch::kFloat64:
      return DType::float64;
    case torch::kFloat32:
      return DType::float32;
    case torch::kBFloat16:
      return DType::bfloat16;
    case torch::kFloat16:
      return DType::float16;
    case torch::kInt64:
      return DType::int64;
    case torch::kInt32:
      return DType::int32;
    case torch::kByte:
      return DType::uint8;
    case torch::kBool:
      return DType::bool8;
    case torch::kUInt64:
      return DType::residue64;
    default:
      return std::nullopt;
  }
}

TensorView view_of(const at::Tensor& x) {
  require(x.is_contiguous(), "a captured tensor is not contiguous");
  const std::optional<DType> dtype = dtype_of(x);
  require(dtype.has_value(), "a captured tensor has an unknown dtype");
  return {*dtype, x.sizes().vec(), x.const_data_ptr()};
}

namespace {

/// Returns the tensor itself if the Recorder can read it, or a copy.
torch::Tensor on_host(const torch::Tensor& x) {
  return x.is_contiguous() && x.is_cpu() ? x : x.cpu().contiguous();
}

}  // namespace

void plant_faults(trace::Recorder& recorder, trace::Phase phase, const std::string& name, const at::Tensor& x,
                  const Shape& shape, const TensorLayout& layout) {
  if (!exact::is_active() || !exact::is_numeric(x) || !recorder.may_change(phase, name))
    return;
  if (is_of_operator(name))
    throw UserError("cannot plant a fault in " + name +
                    " of an exact twin (it may be a copy, or on its way between ranks); name a tensor of the "
                    "model or the optimizer");
  exact::follow_change(x, [&] {
    const torch::NoGradGuard no_grad;
    const torch::Tensor here = on_host(x);
    TensorView view = view_of(here);
    view.shape = shape;
    recorder.disturb(phase, name, view, here.mutable_data_ptr(), layout);
    if (!here.is_alias_of(x))
      x.copy_(here);
  });
}

void offer(trace::Recorder& recorder, const Device& device, trace::Phase phase, const std::string& name,
           const at::Tensor& x, const Shape& shape, const TensorLayout& layout) {
  const at::DisableRecordFunctionGuard unseen;
  const torch::NoGradGuard no_grad;
  const torch::Tensor own = x.variable_data();  // its own version counter: autograd is not to notice
  plant_faults(recorder, phase, name, own, shape, layout);
  const torch::Tensor target = recorded(own, name);
  if (!target.is_cpu() && device.plugin->measure != nullptr && trace::micro_batch_of(layout) == nullptr &&
      !recorder.wants_elements(phase, name)) {
    const torch::Tensor there = target.contiguous();
    TensorView view = view_of(there);
    view.shape = shape;
    recorder.measured(phase, name, view.dtype, shape,
                      device.plugin->measure->tensor(view, layout, device.index()), layout);
    return;
  }
  const torch::Tensor here = on_host(target);
  TensorView view = view_of(here);
  view.shape = shape;
  recorder.tensor(phase, name, view, here.mutable_data_ptr(), layout);
  if (!here.is_alias_of(target) && recorder.wants_elements(phase, name))
    target.copy_(here);
}

void offer_again(trace::Recorder& recorder, trace::Phase phase, const std::string& name, const at::Tensor& x,
                 const Shape& shape, const TensorLayout& layout) {
  if (!recorder.wants_teaching(phase, name))
    return;
  const at::DisableRecordFunctionGuard unseen;
  const torch::NoGradGuard no_grad;
  const torch::Tensor target = x.variable_data(), here = on_host(target);
  TensorView view = view_of(here);
  view.shape = shape;
  recorder.teach(phase, name, view, here.mutable_data_ptr(), layout);
  if (!here.is_alias_of(target))
    target.copy_(here);
}

}  // namespace parity::reference
