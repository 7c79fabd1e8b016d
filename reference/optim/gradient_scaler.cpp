// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/gradient_scaler.hpp"

#include "reference/optim/optimizer.hpp"

namespace parity::reference {

GradientScaler::GradientScaler(const LossConfig& config, const torch::Device& device)
    : config_(config),
      scale_(torch::full({}, config.scale_init, torch::dtype(torch::kFloat).device(device))),
      streak_(torch::zeros({}, torch::dtype(torch::kInt).device(device))),
      found_(torch::zeros({}, torch::dtype(torch::kFloat).device(device))) {}

bool GradientScaler::unscale(const Parameters& parameters,
                             const std::function<void(const torch::Tensor&)>& over_ranks) {
  const torch::NoGradGuard no_grad;
  found_.zero_();
  std::vector<torch::Tensor> gradients = gradients_of(parameters);
  const torch::Tensor inverse = scale_.to(torch::kDouble).reciprocal();
  if (!gradients.empty() && gradients.front().scalar_type() == torch::kDouble)
    unscale_twin(gradients, inverse);
  else
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_, inverse.to(torch::kFloat));
  over_ranks(found_);
  return found_.item<float>() > 0;
}

/// PyTorch's kernel multiplies by a float32 number, which would round the twin's gradients to 24 bits.
void GradientScaler::unscale_twin(const std::vector<torch::Tensor>& gradients, const torch::Tensor& inverse) {
  for (const torch::Tensor& gradient : gradients) {
    found_.logical_or_(at::isfinite(gradient).all().logical_not());
    gradient.mul_(inverse);
  }
}

void GradientScaler::update() {
  at::_amp_update_scale_(scale_, streak_, found_, config_.scale_growth, config_.scale_backoff,
                         config_.scale_interval);
}

}  // namespace parity::reference
