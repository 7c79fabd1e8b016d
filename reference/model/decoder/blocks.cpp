// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/blocks.hpp"

namespace parity::reference {

Block::Block(const ModelDimensions& dimensions, int64_t index, const torch::TensorOptions& options)
    : attention(dimensions.is_latent() ? decltype(attention)(LatentAttention(dimensions, options))
                                       : Attention(dimensions, options)) {
  const int64_t D = dimensions.dim;
  if (dimensions.moe.is_in(index))
    moe.emplace(D, index, dimensions.moe, options);
  else
    feed_forward = FeedForward(dimensions, options);
  attention_norm = Norm(dimensions, D, options);
  ffn_norm = Norm(dimensions, D, options);
}

void Block::visit(const std::string& prefix, const WeightVisitor& visitor) {
  std::visit([&](auto& either) { either.visit(prefix + "attention.", visitor); }, attention);
  if (moe)
    moe->visit(prefix + "moe.", visitor);
  else
    feed_forward.visit(prefix + "feed_forward.", visitor);
  attention_norm.visit(prefix + "attention_norm", visitor);
  ffn_norm.visit(prefix + "ffn_norm", visitor);
}

}  // namespace parity::reference
