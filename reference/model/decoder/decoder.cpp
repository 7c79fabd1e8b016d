// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/decoder.hpp"

#include <cmath>
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
      rope_(
          (dimensions.learned_positions ? torch::empty({0}) : rope_table(dimensions, at_least_float32(dtype)))
              .to(device)) {
  const auto options = torch::TensorOptions(dtype).device(device);
  tok_embeddings_ = torch::empty({dimensions.vocab_size, dimensions.dim}, options);
  if (dimensions.learned_positions)
    pos_embeddings_ = torch::empty({dimensions.max_seq_len, dimensions.dim}, options);
  norm_ = Norm(dimensions, dimensions.dim, options);
  if (!dimensions.tied)
    output_ = torch::empty({dimensions.vocab_size, dimensions.dim}, options);
  layers_.reserve(static_cast<size_t>(dimensions.n_layers));
  for (int64_t i = 0; i < dimensions.n_layers; ++i)
    layers_.emplace_back(dimensions, i, options);
  for (int64_t depth = 0; depth < dimensions.mtp_depth; ++depth)
    mtp_.emplace_back(dimensions, options);
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

void Decoder::begin_counting_logits() {
  for (Block& block : layers_)
    std::visit(
        [](auto& any) {
          if constexpr (requires { any.logits; })
            any.logits = std::make_shared<LogitTally>();
        },
        block.attention);
}

std::map<int64_t, std::shared_ptr<LogitTally>> Decoder::logit_tallies() const {
  std::map<int64_t, std::shared_ptr<LogitTally>> tallies;
  for (size_t i = 0; i < layers_.size(); ++i)
    std::visit(
        [&](const auto& any) {
          if constexpr (requires { any.logits; })
            if (any.logits)
              tallies[static_cast<int64_t>(i)] = any.logits;
        },
        layers_[i].attention);
  return tallies;
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
  if (pos_embeddings_.defined())
    visitor("pos_embeddings.weight", pos_embeddings_);
  for (size_t i = 0; i < layers_.size(); ++i)
    layers_[i].visit("layers." + std::to_string(i) + ".", visitor);
  norm_.visit("norm", visitor);
  if (output_.defined())
    visitor("output.weight", output_);
  for (size_t depth = 0; depth < mtp_.size(); ++depth)
    mtp_[depth].visit("mtp." + std::to_string(depth) + ".", visitor);
}

std::string Decoder::mask_name(int64_t layer) const {
  return dimensions_.nope_every == 0 ? "all" : dimensions_.is_nope(layer) ? "nope" : "rope";
}

std::map<std::string, Mask> Decoder::get_masks(std::span<const int64_t> tokens_BS,
                                               std::span<const int64_t> positions_BS, int64_t seq_len) const {
  std::map<std::string, Mask> masks;
  for (int64_t i = 0; i < dimensions_.n_layers; ++i) {
    if (masks.contains(mask_name(i)))
      continue;
    const MaskRule rule = dimensions_.is_nope(i) ? MaskRule{attention_.rule.documents} : attention_.rule;
    masks[mask_name(i)] = make_mask(rule, tokens_BS, positions_BS, seq_len);
  }
  return masks;
}

MaskSet Decoder::get_attention_masks(const torch::Tensor& tokens_BS, const torch::Tensor& positions_BS,
                                     const std::vector<int64_t>& queries) const {
  MaskSet masks;
  for (const auto& [name, mask] :
       get_masks(values_of(tokens_BS), values_of(positions_BS), tokens_BS.size(1))) {
    masks[name] = masks_for(attention_.backend, mask, queries);
    if (dimensions_.delta.attention_every > 0 && mask.document_ids)
      masks[name].documents_BS =
          torch::tensor(*mask.document_ids, torch::kInt64).view({mask.rows, mask.seq_len});
  }
  return moved_to(std::move(masks), device());
}

torch::Tensor Decoder::turns_of(const ModelInput& input) const {
  return dimensions_.learned_positions ? torch::Tensor()
                                       : rope_turns(rope_, input.tokens_BS.size(1), input.positions_BS);
}

torch::Tensor Decoder::block(size_t i, const torch::Tensor& h_BSD, const Pass& pass) const {
  hooks_.begin_rows(pass.first_row);  // also when the block runs again later
  return run(layers_[i], static_cast<int64_t>(i), Part(hooks_, "layers." + std::to_string(i)), h_BSD, pass);
}

torch::Tensor Decoder::run(const Block& block, int64_t index, const Part& layer, torch::Tensor h_BSD,
                           const Pass& pass) const {
  static const AttentionMasks causal;
  const AttentionMasks& mask = pass.masks.empty() ? causal : pass.masks.at(mask_name(index));
  const torch::Tensor& own_turns = dimensions_.has_rope(index) ? pass.turns : torch::Tensor();
  const Part attention = layer / block.mixer_name();
  const torch::Tensor attended_BSD = std::visit(
      [&](const auto& any) {
        return any.forward(block.attention_norm.forward(h_BSD, layer / "attention_norm"), own_turns, mask,
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

torch::Tensor Decoder::scaled(const torch::Tensor& embedding_BSD) const {
  const double root = std::sqrt(static_cast<double>(dimensions_.dim));
  switch (dimensions_.embedding_scale) {
    case EmbeddingScale::none:
      return embedding_BSD;
    case EmbeddingScale::sqrt_dim:
      return embedding_BSD * root;
    case EmbeddingScale::sqrt_dim_bfloat16:
      return embedding_BSD * static_cast<double>(static_cast<float>(c10::BFloat16(static_cast<float>(root))));
  }
  throw InternalError("unknown embedding scale");
}

/// Returns the tokens' vectors, with those of their positions if they are learned.
torch::Tensor Decoder::embedded(const torch::Tensor& tokens_BS, const ModelInput& input) const {
  const Part embedding(hooks_, "tok_embeddings");
  torch::Tensor h_BSD = scaled(embedding.leave(at::embedding(tok_embeddings_, embedding.enter(tokens_BS))));
  if (!pos_embeddings_.defined())
    return h_BSD;
  const torch::Tensor positions =
      input.positions_BS.defined() ? input.positions_BS : at::arange(tokens_BS.size(1), tokens_BS.options());
  const Part learned(hooks_, "pos_embeddings");
  return h_BSD + learned.leave(at::embedding(pos_embeddings_, learned.enter(positions)));
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
  if (blocks.first == 0)
    h_BSD = seen(probe, "tok_embeddings", embedded(tokens_BS, input));
  const auto pass = std::make_shared<Pass>(
      Pass{turns_of(input), input.masks, identity_of(tokens_BS, input.positions_BS), probe, input.first_row});
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
  return capped(part.leave(part.operators().linear(x, output_.defined() ? output_ : tok_embeddings_, {})));
}

torch::Tensor Decoder::capped(const torch::Tensor& logits) const {
  const double c = dimensions_.logit_softcap;
  return c == 0 ? logits : at::tanh(logits / c) * c;
}

std::vector<torch::Tensor> Decoder::further(const torch::Tensor& hidden_BSD, const ModelInput& input) const {
  const Part all(hooks_, "mtp");
  const Pass pass{turns_of(input), input.masks, {}, {}, input.first_row};
  std::vector<torch::Tensor> results;
  torch::Tensor h_BSD = all.enter(hidden_BSD);
  for (size_t depth = 0; depth < mtp_.size(); ++depth) {
    const MultiTokenModule& module = mtp_[depth];
    const Part part = all / std::to_string(depth);
    // First, so that backward ends with it: the gradients of the module's weights are then complete.
    const torch::Tensor normed_BSD = module.hidden_norm.forward(h_BSD, part / "hidden_norm");
    const torch::Tensor tokens_BS = moved_forward(input.tokens_BS, static_cast<int64_t>(depth) + 1, 0);
    const torch::Tensor embedding_BSD = scaled(hooks_.leave_unseen(
        "tok_embeddings", at::embedding(tok_embeddings_, hooks_.enter_unseen("tok_embeddings", tokens_BS))));
    const torch::Tensor both_BSE =
        at::cat({normed_BSD, module.embedding_norm.forward(embedding_BSD, part / "embedding_norm")}, 2);
    h_BSD = run(module.block, dimensions_.n_layers, part / "block",
                linear(both_BSE, module.proj, part / "proj"), pass);
    h_BSD = module.norm.forward(h_BSD, part / "norm");
    if (depth + 1 == mtp_.size())
      h_BSD = all.leave(h_BSD);
    results.push_back(h_BSD);
  }
  return results;
}

torch::Tensor Decoder::further_output(const torch::Tensor& h_BSD, size_t depth) const {
  const torch::Tensor x = hooks_.enter_unseen("output", h_BSD);  // first, because it may fill the weight
  const torch::Tensor logits = hooks_.leave_unseen(
      "output", hooks_.operators().linear(x, output_.defined() ? output_ : tok_embeddings_, {}));
  return capped(Part(hooks_, "mtp." + std::to_string(depth) + ".output").leave(logits));
}

torch::Tensor Decoder::forward(const ModelInput& input, const Probe& probe) const {
  const torch::Tensor logits_BSV = output(hidden(input, probe));
  if (probe)
    probe("output", logits_BSV);
  return logits_BSV;
}

}  // namespace parity::reference
