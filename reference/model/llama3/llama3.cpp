// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/llama3/llama3.hpp"

#include "reference/model/llama3/rope.hpp"

namespace parity::reference {

Llama3::Llama3(const Llama3Dimensions& dimensions, torch::ScalarType dtype)
    : dimensions_(dimensions),
      tok_embeddings_(torch::empty({dimensions.vocab_size, dimensions.dim}, dtype)),
      norm_{torch::empty({dimensions.dim}, dtype), dimensions.norm_eps},
      output_(torch::empty({dimensions.vocab_size, dimensions.dim}, dtype)),
      rope_(rope_table(dimensions, dtype)) {
  const auto add = [this](const std::string& name, torch::Tensor& weight) {
    parameters_.push_back({name, weight});
  };
  layers_.reserve(static_cast<size_t>(dimensions.n_layers));
  add("tok_embeddings.weight", tok_embeddings_);
  for (int64_t i = 0; i < dimensions.n_layers; ++i) {
    layers_.emplace_back(dimensions, dtype);
    layers_.back().visit("layers." + std::to_string(i) + ".", add);
  }
  add("norm.weight", norm_.weight);
  add("output.weight", output_);
}

torch::Tensor Llama3::hidden(const torch::Tensor& tokens_BS, const Probe& probe) const {
  const auto seen = [&probe](const std::string& name, const torch::Tensor& value) {
    if (probe)
      probe(name, value);
    return value;
  };
  torch::Tensor h_BSD = seen("tok_embeddings", at::embedding(tok_embeddings_, tokens_BS));
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Block& block = layers_[i];
    const std::string name = "layers." + std::to_string(i);
    h_BSD = h_BSD +
            seen(name + ".attention", block.attention.forward(block.attention_norm.forward(h_BSD), rope_));
    h_BSD = h_BSD + seen(name + ".feed_forward", block.feed_forward.forward(block.ffn_norm.forward(h_BSD)));
    seen(name, h_BSD);
  }
  return seen("norm", norm_.forward(h_BSD));
}

torch::Tensor Llama3::output(const torch::Tensor& hidden) const {
  return at::linear(hidden, output_);
}

torch::Tensor Llama3::forward(const torch::Tensor& tokens_BS, const Probe& probe) const {
  const torch::Tensor logits_BSV = output(hidden(tokens_BS, probe));
  if (probe)
    probe("output", logits_BSV);
  return logits_BSV;
}

}  // namespace parity::reference
