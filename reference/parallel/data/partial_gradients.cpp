// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/data/partial_gradients.hpp"

namespace parity::reference {

void PartialGradients::finish() {
  first_->finish();
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> flat;
  for (const Parameter& parameter : partial_)
    flat.push_back(parameter.value.grad().flatten());
  const torch::Tensor sum = at::cat(flat);
  ranks_->all_reduce(sum);
  int64_t passed = 0;
  for (const Parameter& parameter : partial_) {
    const torch::Tensor& gradient = parameter.value.grad();
    gradient.copy_(sum.narrow(0, passed, gradient.numel()).view(gradient.sizes()));
    passed += gradient.numel();
  }
}

}  // namespace parity::reference
