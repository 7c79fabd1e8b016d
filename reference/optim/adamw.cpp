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

/// Returns whether the decay is added to the gradient.
bool is_l2(const OptimizerConfig& config) {
  return config.name == OptimizerName::adam;
}

using Tensors = std::vector<torch::Tensor>;

void fused_adamw(Tensors& values, const Tensors& gradients, Tensors& m, Tensors& v, const Tensors& steps,
                 double lr, const OptimizerConfig& config) {
  at::_fused_adamw_(values, gradients, m, v, /*max_exp_avg_sqs=*/{}, steps, lr, config.beta1, config.beta2,
                    config.weight_decay, config.eps, /*amsgrad=*/false, /*maximize=*/false);
}

void fused_adam(Tensors& values, const Tensors& gradients, Tensors& m, Tensors& v, const Tensors& steps,
                double lr, const OptimizerConfig& config) {
  at::_fused_adam_(values, gradients, m, v, /*max_exp_avg_sqs=*/{}, steps, lr, config.beta1, config.beta2,
                   config.weight_decay, config.eps, /*amsgrad=*/false, /*maximize=*/false);
}

}  // namespace

AdamW::AdamW(const OptimizerConfig& config, Parameters parameters)
    : config_(config), parameters_(std::move(parameters)), groups_(decay_groups(config.decay, parameters_)) {
  for (const Parameter& parameter : parameters_) {
    exp_avgs_.push_back(torch::zeros_like(parameter.value.detach()));
    exp_avg_sqs_.push_back(torch::zeros_like(parameter.value.detach()));
    steps_.push_back(torch::zeros({}, step_options(config_.implementation, parameter.value)));
  }
}

void AdamW::step(const UpdateNumbers& numbers) {
  const torch::NoGradGuard no_grad;
  OptimizerConfig config = config_;
  config.beta1 = numbers.beta1.value_or(config.beta1);
  config.beta2 = numbers.beta2.value_or(config.beta2);
  config.eps = numbers.eps.value_or(config.eps);
  at::_foreach_add_(steps_, 1);
  for (const DecayGroup& group : groups_) {
    config.weight_decay = group.decay_of(numbers.weight_decay.value());
    switch (config_.implementation) {
      case OptimizerImplementation::fused:
        step_fused(config, group, numbers.lr.value());
        break;
      case OptimizerImplementation::foreach:
        step_foreach(config, group, numbers.lr.value());
        break;
      case OptimizerImplementation::plain:
        step_plain(config, group, numbers.lr.value());
        break;
    }
  }
}

void AdamW::step_fused(const OptimizerConfig& config, const DecayGroup& group, double lr) {
  std::vector<torch::Tensor> values = group.pick(values_of(parameters_)), m = group.pick(exp_avgs_),
                             v = group.pick(exp_avg_sqs_);
  const std::vector<torch::Tensor> gradients = group.pick(gradients_of(parameters_));
  const auto kernel = is_l2(config) ? fused_adam : fused_adamw;
  kernel(values, gradients, m, v, group.pick(steps_), lr, config);
}

void AdamW::step_foreach(const OptimizerConfig& config, const DecayGroup& group, double lr) {
  std::vector<torch::Tensor> values = group.pick(values_of(parameters_)),
                             gradients = group.pick(gradients_of(parameters_)), m = group.pick(exp_avgs_),
                             v = group.pick(exp_avg_sqs_);
  if (config.weight_decay != 0 && is_l2(config))
    gradients = at::_foreach_add(gradients, values, config.weight_decay);
  else if (config.weight_decay != 0)
    at::_foreach_mul_(values, 1 - lr * config.weight_decay);
  at::_foreach_lerp_(m, gradients, 1 - config.beta1);
  at::_foreach_mul_(v, config.beta2);
  at::_foreach_addcmul_(v, gradients, gradients, 1 - config.beta2);
  std::vector<at::Scalar> corrections, sizes;
  for (const torch::Tensor& step : group.pick(steps_)) {
    const auto t = step.item<double>();
    corrections.emplace_back(std::sqrt(1 - std::pow(config.beta2, t)));
    sizes.emplace_back(-(lr / (1 - std::pow(config.beta1, t))));
  }
  std::vector<torch::Tensor> roots = at::_foreach_sqrt(v);
  at::_foreach_div_(roots, corrections);
  at::_foreach_add_(roots, config.eps);
  at::_foreach_addcdiv_(values, m, roots, sizes);
}

void AdamW::step_plain(const OptimizerConfig& config, const DecayGroup& group, double lr) {
  for (const size_t i : group.members) {
    torch::Tensor value = parameters_[i].value;
    torch::Tensor gradient = value.grad();
    const auto t = steps_[i].item<double>();
    if (!is_l2(config))
      value.mul_(1 - lr * config.weight_decay);
    else if (config.weight_decay != 0)
      gradient = gradient.add(value, config.weight_decay);
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
