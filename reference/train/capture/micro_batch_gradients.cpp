// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/micro_batch_gradients.hpp"

#include <utility>

#include <ATen/record_function.h>
#include <torch/types.h>

#include "harness/trace/format/micro_batch_tensor.hpp"
#include "reference/train/capture/offer.hpp"

namespace parity::reference {

MicroBatchGradients::MicroBatchGradients(const std::vector<Parameter>& parameters, trace::Recorder& recorder,
                                         LayoutOf layout_of)
    : parameters_(parameters), recorder_(recorder), layout_of_(std::move(layout_of)) {
  if (!recorder.wants_micro_batches())
    return;
  seen_.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].value.requires_grad())
      parameters[i].value.register_hook([this, i](const at::Tensor& gradient) { saw(i, gradient); });
}

void MicroBatchGradients::saw(size_t parameter, const at::Tensor& gradient) {
  const std::string name = trace::micro_batch_tensor(parameters_[parameter].name, number_);
  if (number_ < 0 || !recorder_.wants(trace::Phase::grad_local, name))
    return;
  const at::DisableRecordFunctionGuard unseen;
  seen_[parameter].push_back(gradient.detach().cpu().clone(at::MemoryFormat::Contiguous));
}

void MicroBatchGradients::begin(int64_t number) {
  end();
  number_ = number;
}

void MicroBatchGradients::end() {
  for (size_t i = 0; i < seen_.size(); ++i) {
    const std::vector<at::Tensor> seen = std::exchange(seen_[i], {});
    if (seen.size() == 1)
      recorder_.tensor(trace::Phase::grad_local, trace::micro_batch_tensor(parameters_[i].name, number_),
                       view_of(seen.front()), nullptr, layout_of_(parameters_[i]));
  }
  number_ = -1;
}

}  // namespace parity::reference
