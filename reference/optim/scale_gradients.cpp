// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/scale_gradients.hpp"

#include "reference/optim/optimizer.hpp"

namespace parity::reference {

void scale_gradients(const Parameters& parameters, const torch::Tensor& factor) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients = gradients_of(parameters);
  at::_foreach_mul_(gradients, factor);
}

}  // namespace parity::reference
