// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/chunked_loss.hpp"

#include "harness/base/error.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {

ChunkedLoss chunked_loss(
    const torch::Tensor& hidden_BSD, const torch::Tensor& labels_BS, int64_t chunks,
    const std::function<torch::Tensor(const torch::Tensor&)>& output,
    const std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>& share) {
  const int64_t T = labels_BS.numel();
  require(chunks >= 1 && T % chunks == 0,
          std::to_string(T) + " tokens do not fall into " + std::to_string(chunks) + " equal chunks");
  const int64_t length = T / chunks;
  const torch::ScalarType wide = at_least_float32(hidden_BSD.scalar_type());
  const torch::Tensor hidden_TD = hidden_BSD.detach().flatten(0, 1);
  const torch::Tensor labels_T = labels_BS.flatten();
  torch::Tensor gradient_TD = torch::zeros(hidden_TD.sizes(), hidden_TD.options().dtype(wide));
  torch::Tensor total = torch::zeros({}, gradient_TD.options());
  for (int64_t first = 0; first < T; first += length) {
    // A leaf of its own, so that backward stops here.
    const torch::Tensor chunk = hidden_TD.narrow(0, first, length).detach().requires_grad_();
    const torch::Tensor loss = share(output(chunk), labels_T.narrow(0, first, length));
    total = total + loss.detach();
    loss.backward();
    gradient_TD.narrow(0, first, length).copy_(chunk.grad());
  }
  return {total, gradient_TD.to(hidden_BSD.scalar_type()).view_as(hidden_BSD)};
}

}  // namespace parity::reference
