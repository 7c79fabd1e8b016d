// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/llama3/llama3.hpp"

#include "harness/base/error.hpp"
#include "reference/model/llama3/rope.hpp"

namespace parity::reference {
namespace {

std::span<const int64_t> values_of(const torch::Tensor& x_BS) {
  require(x_BS.is_contiguous(), "tokens or positions are not contiguous");
  return {x_BS.const_data_ptr<int64_t>(), static_cast<size_t>(x_BS.numel())};
}

torch::Tensor seen(const Probe& probe, const std::string& name, const torch::Tensor& value) {
  if (probe)
    probe(name, value);
  return value;
}

}  // namespace

Llama3::Llama3(const Llama3Dimensions& dimensions, torch::ScalarType dtype, const AttentionChoice& attention)
    : dimensions_(dimensions),
      attention_(attention),
      tok_embeddings_(torch::empty({dimensions.vocab_size, dimensions.dim}, dtype)),
      norm_{torch::empty({dimensions.dim}, dtype), dimensions.norm_eps},
      output_(torch::empty({dimensions.vocab_size, dimensions.dim}, dtype)),
      rope_(rope_table(dimensions, dtype)) {
  layers_.reserve(static_cast<size_t>(dimensions.n_layers));
  for (int64_t i = 0; i < dimensions.n_layers; ++i)
    layers_.emplace_back(dimensions, dtype);
  visit_weights(
      [this](const std::string& name, torch::Tensor& weight) { parameters_.push_back({name, weight}); });
}

void Llama3::move_to(torch::Device device) {
  if (rope_.device() == device)
    return;
  rope_ = rope_.to(device);
  parameters_.clear();
  visit_weights([&](const std::string& name, torch::Tensor& weight) {
    weight = weight.detach().to(device).requires_grad_(weight.requires_grad());
    parameters_.push_back({name, weight});
  });
}

void Llama3::visit_weights(const WeightVisitor& visitor) {
  visitor("tok_embeddings.weight", tok_embeddings_);
  for (size_t i = 0; i < layers_.size(); ++i)
    layers_[i].visit("layers." + std::to_string(i) + ".", visitor);
  visitor("norm.weight", norm_.weight);
  visitor("output.weight", output_);
}

Mask Llama3::get_mask(std::span<const int64_t> tokens_BS, std::span<const int64_t> positions_BS,
                      int64_t seq_len) const {
  return make_mask(attention_.documents, tokens_BS, positions_BS, seq_len);
}

AttentionMasks Llama3::get_attention_masks(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS,
                                           const std::vector<int64_t>& queries) const {
  return moved_to(
      masks_for(attention_.backend,
                get_mask(values_of(tokens_BS), values_of(positions_BS), tokens_BS.size(1)), queries),
      device());
}

torch::Tensor Llama3::block(size_t i, torch::Tensor h_BSD, const torch::Tensor& turns,
                            const AttentionMasks& masks, const Probe& probe) const {
  const Block& block = layers_[i];
  const Part layer(hooks_, "layers." + std::to_string(i));
  const Part attention = layer / "attention";
  const Part feed_forward = layer / "feed_forward";
  h_BSD = h_BSD + seen(probe, attention.name(),
                       block.attention.forward(block.attention_norm.forward(h_BSD, layer / "attention_norm"),
                                               turns, masks, attention));
  return h_BSD +
         seen(probe, feed_forward.name(),
              block.feed_forward.forward(block.ffn_norm.forward(h_BSD, layer / "ffn_norm"), feed_forward));
}

torch::Tensor Llama3::hidden(const ModelInput& input, const Probe& probe) const {
  return section({0, dimensions_.n_layers}, {}, input, probe);
}

torch::Tensor Llama3::section(const Section& blocks, const torch::Tensor& before_BSD, const ModelInput& input,
                              const Probe& probe) const {
  require(input.masks.backend == attention_.backend, "masks made for another backend than the model's");
  const torch::Tensor tokens_BS = Part(hooks_, "tokens").enter(input.tokens_BS);
  torch::Tensor h_BSD = before_BSD;
  if (blocks.first == 0) {
    const Part embedding(hooks_, "tok_embeddings");
    h_BSD = seen(probe, embedding.name(),
                 embedding.leave(at::embedding(tok_embeddings_, embedding.enter(tokens_BS))));
  }
  const torch::Tensor turns = rope_turns(rope_, tokens_BS.size(1), input.positions_BS);
  for (int64_t i = blocks.first; i < blocks.end; ++i) {
    const Part layer(hooks_, "layers." + std::to_string(i));
    const auto body = [this, i, turns, masks = input.masks, probe](const torch::Tensor& x) {
      return block(static_cast<size_t>(i), x, turns, masks, probe);
    };
    h_BSD = seen(probe, layer.name(), layer.leave(layer.run(body, layer.enter(h_BSD))));
  }
  return blocks.end < dimensions_.n_layers ? h_BSD
                                           : seen(probe, "norm", norm_.forward(h_BSD, Part(hooks_, "norm")));
}

torch::Tensor Llama3::output(const torch::Tensor& hidden) const {
  const Part part(hooks_, "output");
  return part.leave(at::linear(part.enter(hidden), output_));
}

torch::Tensor Llama3::forward(const ModelInput& input, const Probe& probe) const {
  const torch::Tensor logits_BSV = output(hidden(input, probe));
  if (probe)
    probe("output", logits_BSV);
  return logits_BSV;
}

}  // namespace parity::reference
