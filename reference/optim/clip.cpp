// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/clip.hpp"

#include "reference/optim/optimizer.hpp"

namespace parity::reference {

torch::Tensor gradient_norm(const Parameters& parameters) {
  const torch::NoGradGuard no_grad;
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients_of(parameters))), 2);
}

void clip_gradients(const Parameters& parameters, const torch::Tensor& norm, double max_norm) {
  const torch::NoGradGuard no_grad;
  // Python divides a number by a tensor through the reciprocal; a division would round differently.
  const torch::Tensor factor = ((norm + 1e-6).reciprocal() * max_norm).clamp_max(1.0);
  std::vector<torch::Tensor> gradients = gradients_of(parameters);
  at::_foreach_mul_(gradients, factor);
}

}  // namespace parity::reference
