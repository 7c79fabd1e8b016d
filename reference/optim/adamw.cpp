// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/adamw.hpp"

#include <cmath>

#include "reference/model/precision.hpp"

namespace parity::reference {

namespace {

/// A device's fused kernel reads the steps on the device, as float32 for any dtype of the parameters.
torch::TensorOptions step_options(OptimizerImplementation implementation, const torch::Tensor& parameter) {
  if (implementation == OptimizerImplementation::fused && !parameter.is_cpu())
    return torch::dtype(torch::kFloat32).device(parameter.device());
  return torch::dtype(at_least_float32(parameter.scalar_type())).device(torch::kCPU);
}

}  // namespace

AdamW::AdamW(const OptimizerConfig& config, Parameters parameters)
    : config_(config), parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) {
    exp_avgs_.push_back(torch::zeros_like(parameter.value.detach()));
    exp_avg_sqs_.push_back(torch::zeros_like(parameter.value.detach()));
    steps_.push_back(torch::zeros({}, step_options(config_.implementation, parameter.value)));
  }
}

void AdamW::step(const UpdateNumbers& numbers) {
  const torch::NoGradGuard no_grad;
  OptimizerConfig config = config_;
  config.weight_decay = numbers.weight_decay.value();
  config.beta1 = numbers.beta1.value_or(config.beta1);
  config.beta2 = numbers.beta2.value_or(config.beta2);
  config.eps = numbers.eps.value_or(config.eps);
  at::_foreach_add_(steps_, 1);
  if (config_.implementation == OptimizerImplementation::fused)
    step_fused(config, numbers.lr.value());
  else
    step_plain(config, numbers.lr.value());
}

void AdamW::step_fused(const OptimizerConfig& config, double lr) {
  at::_fused_adamw_(values_of(parameters_), gradients_of(parameters_), exp_avgs_, exp_avg_sqs_,
                    /*max_exp_avg_sqs=*/{}, steps_, lr, config.beta1, config.beta2, config.weight_decay,
                    config.eps, /*amsgrad=*/false, /*maximize=*/false);
}

void AdamW::step_plain(const OptimizerConfig& config, double lr) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor value = parameters_[i].value;
    const torch::Tensor& gradient = value.grad();
    const auto t = steps_[i].item<double>();
    value.mul_(1 - lr * config.weight_decay);
    exp_avgs_[i].lerp_(gradient, 1 - config.beta1);
    exp_avg_sqs_[i].mul_(config.beta2).addcmul_(gradient, gradient, 1 - config.beta2);
    const torch::Tensor root =
        (exp_avg_sqs_[i].sqrt() / std::sqrt(1 - std::pow(config.beta2, t))).add_(config.eps);
    value.addcdiv_(exp_avgs_[i], root, -(lr / (1 - std::pow(config.beta1, t))));
  }
}

std::vector<Optimizer::State> AdamW::state() const {
  std::vector<State> result;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    result.push_back({"exp_avg/" + parameters_[i].name, exp_avgs_[i], parameters_[i].layout});
    result.push_back({"exp_avg_sq/" + parameters_[i].name, exp_avg_sqs_[i], parameters_[i].layout});
    result.push_back({"step/" + parameters_[i].name, steps_[i]});
  }
  return result;
}

}  // namespace parity::reference
