// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/adamw.hpp"

#include "reference/model/precision.hpp"

namespace parity::reference {

AdamW::AdamW(const OptimizerConfig& config, Parameters parameters)
    : config_(config), parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) {
    exp_avgs_.push_back(torch::zeros_like(parameter.value.detach()));
    exp_avg_sqs_.push_back(torch::zeros_like(parameter.value.detach()));
    steps_.push_back(torch::zeros({}, at_least_float32(parameter.value.scalar_type())));
  }
}

void AdamW::step(double lr, double weight_decay) {
  const torch::NoGradGuard no_grad;
  at::_foreach_add_(steps_, 1);
  at::_fused_adamw_(values_of(parameters_), gradients_of(parameters_), exp_avgs_, exp_avg_sqs_,
                    /*max_exp_avg_sqs=*/{}, steps_, lr, config_.beta1, config_.beta2, weight_decay,
                    config_.eps, /*amsgrad=*/false, /*maximize=*/false);
}

std::vector<Optimizer::State> AdamW::state() const {
  std::vector<State> result;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    result.push_back({"exp_avg/" + parameters_[i].name, exp_avgs_[i]});
    result.push_back({"exp_avg_sq/" + parameters_[i].name, exp_avg_sqs_[i]});
    result.push_back({"step/" + parameters_[i].name, steps_[i]});
  }
  return result;
}

}  // namespace parity::reference
