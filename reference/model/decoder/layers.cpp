// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part) {
  return part.leave(part.operators().linear(part.enter(x), weight));
}

torch::Tensor row_parallel_linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part) {
  return part.leave(part.operators().row_parallel_linear(part.enter(x), weight));
}

torch::Tensor RmsNorm::forward(const torch::Tensor& x_BSD, const Part& part) const {
  return part.leave(part.operators().rms_norm(part.enter(x_BSD), weight, eps));
}

}  // namespace parity::reference
