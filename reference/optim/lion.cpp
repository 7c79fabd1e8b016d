// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/lion.hpp"

#include "reference/optim/decay_groups.hpp"

namespace parity::reference {

Lion::Lion(const OptimizerConfig& config, Parameters parameters)
    : config_(config), parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_)
    exp_avgs_.push_back(torch::zeros_like(parameter.value.detach()));
}

void Lion::step(const UpdateNumbers& numbers) {
  const torch::NoGradGuard no_grad;
  const double lr = numbers.lr.value(), beta1 = numbers.beta1.value_or(config_.beta1),
               beta2 = numbers.beta2.value_or(config_.beta2);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor value = parameters_[i].value;
    const torch::Tensor& gradient = value.grad();
    if (decays(config_.decay, parameters_[i]))
      value.mul_(1 - lr * numbers.weight_decay.value());
    value.add_((exp_avgs_[i] * beta1).add_(gradient, 1 - beta1).sign_(), -lr);
    exp_avgs_[i].mul_(beta2).add_(gradient, 1 - beta2);
  }
}

std::vector<Optimizer::State> Lion::state() const {
  std::vector<State> result;
  for (size_t i = 0; i < parameters_.size(); ++i)
    result.push_back({"exp_avg/" + parameters_[i].name, exp_avgs_[i], parameters_[i].layout});
  return result;
}

}  // namespace parity::reference
