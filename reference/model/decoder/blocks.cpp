// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/blocks.hpp"

namespace parity::reference {

namespace {

decltype(Block::attention) make_mixer(const ModelDimensions& dimensions, int64_t index,
                                      const torch::TensorOptions& options) {
  if (dimensions.delta.is_in(index))
    return GatedDeltaNet(dimensions, options);
  if (dimensions.is_latent())
    return LatentAttention(dimensions, options);
  return Attention(dimensions, options);
}

}  // namespace

Block::Block(const ModelDimensions& dimensions, int64_t index, const torch::TensorOptions& options)
    : attention(make_mixer(dimensions, index, options)) {
  const int64_t D = dimensions.dim;
  if (dimensions.moe.is_in(index))
    moe.emplace(D, index, dimensions.moe, options);
  else
    feed_forward = FeedForward(dimensions, options);
  attention_norm = Norm(dimensions, D, options);
  ffn_norm = Norm(dimensions, D, options);
}

const char* Block::mixer_name() const {
  return std::holds_alternative<GatedDeltaNet>(attention) ? "delta_net" : "attention";
}

void Block::visit(const std::string& prefix, const WeightVisitor& visitor) {
  const std::string mixer = prefix + mixer_name() + ".";
  std::visit([&](auto& any) { any.visit(mixer, visitor); }, attention);
  if (moe)
    moe->visit(prefix + "moe.", visitor);
  else
    feed_forward.visit(prefix + "feed_forward.", visitor);
  attention_norm.visit(prefix + "attention_norm", visitor);
  ffn_norm.visit(prefix + "ffn_norm", visitor);
}

}  // namespace parity::reference
