// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/capture/micro_batch_gradients.hpp"

#include <utility>

#include <ATen/record_function.h>
#include <torch/types.h>

#include "harness/trace/format/micro_batch_tensor.hpp"
#include "reference/train/capture/offer.hpp"

namespace parity::reference {

MicroBatchGradients::MicroBatchGradients(const Parameters& leaves, trace::Recorder& recorder,
                                         LayoutOf layout_of)
    : leaves_(leaves), recorder_(recorder), layout_of_(std::move(layout_of)) {
  if (!recorder.wants_micro_batches())
    return;
  seen_.resize(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].value.requires_grad())
      leaves[i].value.register_hook([this, i](const at::Tensor& gradient) { saw(i, gradient); });
}

void MicroBatchGradients::saw(size_t leaf, const at::Tensor& gradient) {
  const std::string name = trace::micro_batch_tensor(leaves_[leaf].name, number_);
  if (number_ < 0 || !recorder_.wants(trace::Phase::grad_local, name))
    return;
  const at::DisableRecordFunctionGuard unseen;
  seen_[leaf].push_back(gradient.detach().cpu().clone(at::MemoryFormat::Contiguous));
}

void MicroBatchGradients::begin(int64_t number) {
  end();
  number_ = number;
}

void MicroBatchGradients::end() {
  for (size_t i = 0; i < seen_.size(); ++i) {
    const std::vector<at::Tensor> parts = std::exchange(seen_[i], {});
    for (size_t part = 0; part < parts.size(); ++part)
      recorder_.tensor(trace::Phase::grad_local,
                       trace::micro_batch_tensor(leaves_[i].name, number_, static_cast<int64_t>(part)),
                       view_of(parts[part]), nullptr, layout_of_(leaves_[i]));
  }
  number_ = -1;
}

}  // namespace parity::reference
