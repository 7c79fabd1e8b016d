// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/decoder.hpp"

#include <memory>

#include "harness/base/error.hpp"
#include "reference/model/decoder/rope.hpp"
#include "reference/model/precision.hpp"

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

Decoder::Decoder(const ModelDimensions& dimensions, torch::ScalarType dtype, const AttentionChoice& attention,
                 torch::Device device)
    : dimensions_(dimensions),
      attention_(attention),
      rope_(rope_table(dimensions, at_least_float32(dtype)).to(device)) {
  const auto options = torch::TensorOptions(dtype).device(device);
  tok_embeddings_ = torch::empty({dimensions.vocab_size, dimensions.dim}, options);
  norm_ = {torch::empty({dimensions.dim}, options), dimensions.norm_eps};
  if (!dimensions.tied)
    output_ = torch::empty({dimensions.vocab_size, dimensions.dim}, options);
  layers_.reserve(static_cast<size_t>(dimensions.n_layers));
  for (int64_t i = 0; i < dimensions.n_layers; ++i)
    layers_.emplace_back(dimensions, i, options);
  visit_weights(
      [this](const std::string& name, torch::Tensor& weight) { parameters_.push_back({name, weight}); });
}

void Decoder::move_to(torch::Device device) {
  if (rope_.device() == device)
    return;
  rope_ = rope_.to(device);
  parameters_.clear();
  visit_weights([&](const std::string& name, torch::Tensor& weight) {
    weight = weight.detach().to(device).requires_grad_(weight.requires_grad());
    parameters_.push_back({name, weight});
  });
  for (Block& block : layers_)
    if (block.moe)
      block.moe->move_to(device);
}

std::vector<const Moe*> Decoder::mixtures() const {
  std::vector<const Moe*> all;
  for (const Block& block : layers_)
    if (block.moe)
      all.push_back(&*block.moe);
  return all;
}

void Decoder::begin_counting_updates() {
  for (Block& block : layers_)
    if (block.moe)
      block.moe->tally.update_E = torch::zeros_like(block.moe->tally.tokens_E);
}

torch::Tensor Decoder::identity_of(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS) const {
  if (dimensions_.moe.experts == 0)
    return {};
  const torch::Tensor positions =
      positions_BS.defined() ? positions_BS : at::arange(tokens_BS.size(1), tokens_BS.options());
  return tokens_BS * dimensions_.max_seq_len + positions;
}

Parameters Decoder::router_biases() const {
  Parameters biases;
  for (const Moe* moe : mixtures())
    if (moe->bias_E.defined())
      biases.push_back({"layers." + std::to_string(moe->block) + ".moe.expert_bias", moe->bias_E});
  return biases;
}

void Decoder::visit_weights(const WeightVisitor& visitor) {
  visitor("tok_embeddings.weight", tok_embeddings_);
  for (size_t i = 0; i < layers_.size(); ++i)
    layers_[i].visit("layers." + std::to_string(i) + ".", visitor);
  visitor("norm.weight", norm_.weight);
  if (output_.defined())
    visitor("output.weight", output_);
}

std::string Decoder::mask_name(int64_t layer) const {
  return dimensions_.nope_every == 0 ? "all" : dimensions_.has_rope(layer) ? "rope" : "nope";
}

std::map<std::string, Mask> Decoder::get_masks(std::span<const int64_t> tokens_BS,
                                               std::span<const int64_t> positions_BS, int64_t seq_len) const {
  std::map<std::string, Mask> masks;
  for (int64_t i = 0; i < dimensions_.n_layers; ++i) {
    if (masks.contains(mask_name(i)))
      continue;
    const MaskRule rule = dimensions_.has_rope(i) ? attention_.rule : MaskRule{attention_.rule.documents};
    masks[mask_name(i)] = make_mask(rule, tokens_BS, positions_BS, seq_len);
  }
  return masks;
}

MaskSet Decoder::get_attention_masks(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS,
                                     const std::vector<int64_t>& queries) const {
  MaskSet masks;
  for (const auto& [name, mask] : get_masks(values_of(tokens_BS), values_of(positions_BS), tokens_BS.size(1)))
    masks[name] = masks_for(attention_.backend, mask, queries);
  return moved_to(std::move(masks), device());
}

torch::Tensor Decoder::block(size_t i, torch::Tensor h_BSD, const Pass& pass) const {
  static const AttentionMasks causal;
  hooks_.begin_rows(pass.first_row);  // also when the block runs again later
  const Block& block = layers_[i];
  const auto layer_index = static_cast<int64_t>(i);
  const AttentionMasks& mask = pass.masks.empty() ? causal : pass.masks.at(mask_name(layer_index));
  const torch::Tensor& own_turns = dimensions_.has_rope(layer_index) ? pass.turns : torch::Tensor();
  const Part layer(hooks_, "layers." + std::to_string(i));
  const Part attention = layer / "attention";
  const torch::Tensor attended_BSD = std::visit(
      [&](const auto& either) {
        return either.forward(block.attention_norm.forward(h_BSD, layer / "attention_norm"), own_turns, mask,
                              attention);
      },
      block.attention);
  h_BSD = h_BSD + seen(pass.probe, attention.name(), attended_BSD);
  const torch::Tensor normed_BSD = block.ffn_norm.forward(h_BSD, layer / "ffn_norm");
  const Part second = layer / (block.moe ? "moe" : "feed_forward");
  return h_BSD + seen(pass.probe, second.name(),
                      block.moe ? block.moe->forward(normed_BSD, pass.identity_BS, second, moe_pass_)
                                : block.feed_forward.forward(normed_BSD, second));
}

torch::Tensor Decoder::hidden(const ModelInput& input, const Probe& probe) const {
  return section({0, dimensions_.n_layers}, {}, input, probe);
}

torch::Tensor Decoder::section(const Section& blocks, const torch::Tensor& before_BSD,
                               const ModelInput& input, const Probe& probe) const {
  require(input.masks.empty() ? attention_.backend == AttentionBackend::sdpa
                              : input.masks.begin()->second.backend == attention_.backend,
          "masks made for another backend than the model's");
  hooks_.begin_rows(input.first_row);
  const torch::Tensor tokens_BS = Part(hooks_, "tokens").enter(input.tokens_BS);
  torch::Tensor h_BSD = before_BSD;
  if (blocks.first == 0) {
    const Part embedding(hooks_, "tok_embeddings");
    h_BSD = seen(probe, embedding.name(),
                 embedding.leave(at::embedding(tok_embeddings_, embedding.enter(tokens_BS))));
  }
  const auto pass =
      std::make_shared<Pass>(Pass{rope_turns(rope_, tokens_BS.size(1), input.positions_BS), input.masks,
                                  identity_of(tokens_BS, input.positions_BS), probe, input.first_row});
  for (int64_t i = blocks.first; i < blocks.end; ++i) {
    const Part layer(hooks_, "layers." + std::to_string(i));
    const auto body = [this, i, pass](const torch::Tensor& x) {
      return block(static_cast<size_t>(i), x, *pass);
    };
    h_BSD = seen(probe, layer.name(), layer.leave(layer.run(body, layer.enter(h_BSD))));
  }
  return blocks.end < dimensions_.n_layers ? h_BSD
                                           : seen(probe, "norm", norm_.forward(h_BSD, Part(hooks_, "norm")));
}

torch::Tensor Decoder::output(const torch::Tensor& hidden) const {
  const Part part(hooks_, "output");
  const torch::Tensor x = part.enter(hidden);  // first, because it may fill the weight
  return part.leave(part.operators().linear(x, output_.defined() ? output_ : tok_embeddings_));
}

torch::Tensor Decoder::forward(const ModelInput& input, const Probe& probe) const {
  const torch::Tensor logits_BSV = output(hidden(input, probe));
  if (probe)
    probe("output", logits_BSV);
  return logits_BSV;
}

}  // namespace parity::reference
