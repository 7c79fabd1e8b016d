// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/feed_forward.hpp"

namespace parity::reference {

FeedForward::FeedForward(int64_t dim, int64_t hidden, const torch::TensorOptions& options)
    : w1(torch::empty({hidden, dim}, options)),
      w2(torch::empty({dim, hidden}, options)),
      w3(torch::empty({hidden, dim}, options)) {}

torch::Tensor FeedForward::forward(const torch::Tensor& x_in, const Part& part) const {
  const torch::Tensor x = part.enter(x_in);
  const torch::Tensor gate = part.operators().silu(linear(x, w1, part / "w1"));
  const torch::Tensor up = linear(x, w3, part / "w3");
  return part.leave(row_parallel_linear(gate * up, w2, part / "w2"));
}

void FeedForward::visit(const std::string& prefix, const WeightVisitor& visitor) {
  visitor(prefix + "w1.weight", w1);
  visitor(prefix + "w2.weight", w2);
  visitor(prefix + "w3.weight", w3);
}

}  // namespace parity::reference
