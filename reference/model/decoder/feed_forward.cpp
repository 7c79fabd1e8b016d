// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/feed_forward.hpp"

namespace parity::reference {

FeedForward::FeedForward(int64_t dim, int64_t hidden, const torch::TensorOptions& options) {
  w1.weight = torch::empty({hidden, dim}, options);
  w2.weight = torch::empty({dim, hidden}, options);
  w3.weight = torch::empty({hidden, dim}, options);
  w2.is_row_parallel = true;
}

FeedForward::FeedForward(const ModelDimensions& dimensions, const torch::TensorOptions& options) {
  const int64_t D = dimensions.dim, F = dimensions.ffn_hidden;
  const bool has_biases = dimensions.biases == Biases::all;
  w1 = Linear(dimensions, LoraTarget::w1, F, D, has_biases, options);
  w2 = Linear(dimensions, LoraTarget::w2, D, F, has_biases, options);
  if (dimensions.feed_forward == FeedForwardKind::swiglu)
    w3 = Linear(dimensions, LoraTarget::w3, F, D, has_biases, options);
}

torch::Tensor FeedForward::forward(const torch::Tensor& x_in, const Part& part) const {
  const torch::Tensor x = part.enter(x_in);
  if (!w3.weight.defined())
    return part.leave(w2.forward(at::gelu(w1.forward(x, part / "w1"), "tanh"), part / "w2"));
  const torch::Tensor gate = part.operators().silu(w1.forward(x, part / "w1"));
  const torch::Tensor up = w3.forward(x, part / "w3");
  return part.leave(w2.forward(gate * up, part / "w2"));
}

void FeedForward::visit(const std::string& prefix, const WeightVisitor& visitor) {
  w1.visit(prefix + "w1", visitor);
  w2.visit(prefix + "w2", visitor);
  if (w3.weight.defined())
    w3.visit(prefix + "w3", visitor);
}

}  // namespace parity::reference
