// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/replicas.hpp"

#include <utility>

namespace parity::reference {

Replicas::Replicas(Parameters parameters, std::shared_ptr<const Group> replicas, GradientSync sync,
                   GradientReduction reduction, bool flat)
    : parameters_(std::move(parameters)),
      flat_(flat),
      buffers_(flat ? flat_buffers(parameters_) : single_buffers(parameters_)),
      replicas_(std::move(replicas)),
      sync_(sync),
      reduction_(reduction),
      sums_(parameters_.size()) {}

void Replicas::reduce() const {
  for (const GradientBuffer& buffer : buffers_)
    all_reduce_gradients(buffer, *replicas_);
  if (reduction_ == GradientReduction::average && replicas_->size() > 1)
    for (const Parameter& parameter : parameters_)
      parameter.value.grad().div_(replicas_->size());
}

std::vector<std::string> Replicas::buffers() const {
  std::vector<std::string> texts;
  for (const GradientBuffer& buffer : buffers_)
    if (flat_)
      texts.push_back(buffer.text());
  return texts;
}

void Replicas::begin(bool /*last*/) {
  if (sync_ == GradientSync::each)
    for (size_t i = 0; i < parameters_.size(); ++i)
      sums_[i] = std::exchange(parameters_[i].value.mutable_grad(), torch::Tensor());
}

void Replicas::end() {
  if (sync_ == GradientSync::last)
    return;
  reduce();
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (torch::Tensor& sum = sums_[i]; sum.defined())
      parameters_[i].value.mutable_grad() = sum.add_(parameters_[i].value.grad());
}

void Replicas::finish() {
  if (sync_ == GradientSync::last)
    reduce();
}

void Replicas::zero_grad() {
  for (torch::Tensor& sum : sums_)
    sum.reset();
}

}  // namespace parity::reference
