// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/sgd.hpp"

#include "harness/base/error.hpp"

namespace parity::reference {

Sgd::Sgd(const OptimizerConfig& config, Parameters parameters)
    : config_(config), parameters_(std::move(parameters)), updates_(torch::zeros({}, torch::kInt64)) {
  if (config_.momentum == 0)
    return;
  for (const Parameter& parameter : parameters_)
    buffers_.push_back(torch::zeros_like(parameter.value.detach()));
}

void Sgd::step(const UpdateNumbers& numbers) {
  if (numbers.has_adam())
    throw UserError("cannot use beta1, beta2 or eps in an update of SGD (they are AdamW's); leave them out");
  const torch::NoGradGuard no_grad;
  const double lr = numbers.lr.value(), weight_decay = numbers.weight_decay.value();
  if (config_.implementation == OptimizerImplementation::fused)
    step_fused(lr, weight_decay);
  else
    step_plain(lr, weight_decay);
  updates_.add_(1);
}

void Sgd::step_fused(double lr, double weight_decay) {
  at::_fused_sgd_(values_of(parameters_), gradients_of(parameters_), buffers_, weight_decay, config_.momentum,
                  lr, /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false,
                  /*is_first_step=*/updates_.item<int64_t>() == 0);
}

void Sgd::step_plain(double lr, double weight_decay) {
  const bool first = updates_.item<int64_t>() == 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor value = parameters_[i].value;
    torch::Tensor gradient = value.grad();
    if (weight_decay != 0)
      gradient = gradient.add(value, weight_decay);
    if (config_.momentum != 0) {
      torch::Tensor& buffer = buffers_[i];
      first ? buffer.copy_(gradient) : buffer.mul_(config_.momentum).add_(gradient);
      gradient = buffer;
    }
    value.add_(gradient, -lr);
  }
}

std::vector<Optimizer::State> Sgd::state() const {
  std::vector<State> result;
  for (size_t i = 0; i < buffers_.size(); ++i)
    result.push_back({"momentum/" + parameters_[i].name, buffers_[i], parameters_[i].layout});
  result.push_back({"step", updates_});
  return result;
}

}  // namespace parity::reference
