// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/all_reduce_gradients.hpp"

namespace parity::reference {

void all_reduce_gradients(const Parameters& parameters, const Group& replicas) {
  if (replicas.size() == 1)
    return;
  for (const Parameter& parameter : parameters) {
    torch::Tensor value = parameter.value;
    if (!value.grad().defined())
      value.mutable_grad() = torch::zeros_like(value.detach());
    replicas.all_reduce(value.grad());
  }
}

}  // namespace parity::reference
