// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/multi_token.hpp"

namespace parity::reference {
namespace {

constexpr int64_t ignored = -100;

}  // namespace

MultiTokenModule::MultiTokenModule(const ModelDimensions& dimensions, const torch::TensorOptions& options)
    : hidden_norm(dimensions, dimensions.dim, options),
      embedding_norm(dimensions, dimensions.dim, options),
      proj(torch::empty({dimensions.dim, 2 * dimensions.dim}, options)),
      block(dimensions, dimensions.n_layers, options),
      norm(dimensions, dimensions.dim, options) {}

void MultiTokenModule::visit(const std::string& prefix, const WeightVisitor& visitor) {
  hidden_norm.visit(prefix + "hidden_norm", visitor);
  embedding_norm.visit(prefix + "embedding_norm", visitor);
  visitor(prefix + "proj.weight", proj);
  block.visit(prefix + "block.", visitor);
  norm.visit(prefix + "norm", visitor);
}

torch::Tensor moved_forward(const torch::Tensor& x_BS, int64_t by, int64_t filler) {
  const int64_t S = x_BS.size(1);
  return at::cat({x_BS.narrow(1, by, S - by), at::full({x_BS.size(0), by}, filler, x_BS.options())}, 1);
}

torch::Tensor further_labels(const torch::Tensor& labels_BS, const torch::Tensor& documents_BS,
                             int64_t depth) {
  torch::Tensor labels = moved_forward(labels_BS, depth, ignored);
  if (documents_BS.defined())
    labels = labels.masked_fill(moved_forward(documents_BS, depth, -1).ne(documents_BS), ignored);
  return labels;
}

}  // namespace parity::reference
