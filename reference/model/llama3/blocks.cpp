// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/llama3/blocks.hpp"

#include "reference/model/llama3/rope.hpp"

namespace parity::reference {

torch::Tensor RmsNorm::forward(const torch::Tensor& x_BSD) const {
  return at::rms_norm(x_BSD, weight.sizes(), weight, eps);
}

torch::Tensor Attention::forward(const torch::Tensor& x_BSD, const torch::Tensor& turns,
                                 const AttentionMasks& masks) const {
  const int64_t B = x_BSD.size(0);
  const int64_t S = x_BSD.size(1);
  const torch::Tensor q_BSHd = at::linear(x_BSD, wq).view({B, S, -1, head_dim});
  const torch::Tensor k_BSKd = at::linear(x_BSD, wk).view({B, S, -1, head_dim});
  const torch::Tensor v_BSKd = at::linear(x_BSD, wv).view({B, S, -1, head_dim});
  const torch::Tensor out_BHSd =
      attend(apply_rope(q_BSHd, turns).transpose(1, 2), apply_rope(k_BSKd, turns).transpose(1, 2),
             v_BSKd.transpose(1, 2), masks);
  return at::linear(out_BHSd.transpose(1, 2).reshape({B, S, -1}), wo);
}

torch::Tensor FeedForward::forward(const torch::Tensor& x_BSD) const {
  return at::linear(at::silu(at::linear(x_BSD, w1)) * at::linear(x_BSD, w3), w2);
}

Block::Block(const Llama3Dimensions& dimensions, torch::ScalarType dtype) {
  const auto weight = [&](int64_t rows, int64_t columns) { return torch::empty({rows, columns}, dtype); };
  const int64_t D = dimensions.dim;
  const int64_t F = dimensions.ffn_hidden;
  const int64_t kv_width = dimensions.n_kv_heads * dimensions.head_dim();
  attention = {weight(D, D), weight(kv_width, D), weight(kv_width, D), weight(D, D), dimensions.head_dim()};
  feed_forward = {weight(F, D), weight(D, F), weight(F, D)};
  attention_norm = {torch::empty({D}, dtype), dimensions.norm_eps};
  ffn_norm = {torch::empty({D}, dtype), dimensions.norm_eps};
}

void Block::visit(const std::string& prefix, const WeightVisitor& visitor) {
  visitor(prefix + "attention.wq.weight", attention.wq);
  visitor(prefix + "attention.wk.weight", attention.wk);
  visitor(prefix + "attention.wv.weight", attention.wv);
  visitor(prefix + "attention.wo.weight", attention.wo);
  visitor(prefix + "feed_forward.w1.weight", feed_forward.w1);
  visitor(prefix + "feed_forward.w2.weight", feed_forward.w2);
  visitor(prefix + "feed_forward.w3.weight", feed_forward.w3);
  visitor(prefix + "attention_norm.weight", attention_norm.weight);
  visitor(prefix + "ffn_norm.weight", ffn_norm.weight);
}

}  // namespace parity::reference
