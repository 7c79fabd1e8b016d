// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/sgd.hpp"

#include "harness/base/error.hpp"

namespace parity::reference {

Sgd::Sgd(const OptimizerConfig& config, Parameters parameters)
    : config_(config),
      parameters_(std::move(parameters)),
      groups_(decay_groups(config.decay, parameters_)),
      updates_(torch::zeros({}, torch::kInt64)) {
  if (config_.momentum == 0)
    return;
  for (const Parameter& parameter : parameters_)
    buffers_.push_back(torch::zeros_like(parameter.value.detach()));
}

void Sgd::step(const UpdateNumbers& numbers) {
  if (numbers.has_adam())
    throw UserError("cannot use beta1, beta2 or eps in an update of SGD (they are AdamW's); leave them out");
  const torch::NoGradGuard no_grad;
  for (const DecayGroup& group : groups_) {
    const double lr = numbers.lr.value(), weight_decay = group.decay_of(numbers.weight_decay.value());
    switch (config_.implementation) {
      case OptimizerImplementation::fused:
        step_fused(group, lr, weight_decay);
        break;
      case OptimizerImplementation::foreach:
        step_foreach(group, lr, weight_decay);
        break;
      case OptimizerImplementation::plain:
        step_plain(group, lr, weight_decay);
        break;
    }
  }
  updates_.add_(1);
}

void Sgd::step_fused(const DecayGroup& group, double lr, double weight_decay) {
  std::vector<torch::Tensor> buffers;
  if (!buffers_.empty())
    buffers = group.pick(buffers_);
  at::_fused_sgd_(group.pick(values_of(parameters_)), group.pick(gradients_of(parameters_)), buffers,
                  weight_decay, config_.momentum, lr, /*dampening=*/0.0, /*nesterov=*/false,
                  /*maximize=*/false, /*is_first_step=*/is_first());
}

void Sgd::step_foreach(const DecayGroup& group, double lr, double weight_decay) {
  std::vector<torch::Tensor> values = group.pick(values_of(parameters_)),
                             gradients = group.pick(gradients_of(parameters_));
  if (weight_decay != 0)
    gradients = at::_foreach_add(gradients, values, weight_decay);
  if (!buffers_.empty()) {
    std::vector<torch::Tensor> buffers = group.pick(buffers_);
    if (is_first()) {
      at::_foreach_copy_(buffers, gradients);
    } else {
      at::_foreach_mul_(buffers, config_.momentum);
      at::_foreach_add_(buffers, gradients);
    }
    gradients = buffers;
  }
  at::_foreach_add_(values, gradients, -lr);
}

void Sgd::step_plain(const DecayGroup& group, double lr, double weight_decay) {
  const bool first = is_first();
  for (const size_t i : group.members) {
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
