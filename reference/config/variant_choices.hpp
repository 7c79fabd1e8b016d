// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

// The values of keys of the parts that some families of models have, and of adapters.

namespace parity::reference {

/// Factor of the embedding: none, sqrt(dim), or sqrt(dim) rounded to bfloat16.
enum class EmbeddingScale { none, sqrt_dim, sqrt_dim_bfloat16 };
constexpr auto enum_names(EmbeddingScale) {
  return named<EmbeddingScale::sqrt_dim_bfloat16>("embedding scale",
                                                  {"none", "sqrt_dim", "sqrt_dim_bfloat16"});
}

/// What the sigmoid gate of attention's output multiplies: nothing, each element, or each head.
enum class AttentionGate { none, elements, heads };
constexpr auto enum_names(AttentionGate) {
  return named<AttentionGate::heads>("attention gate", {"none", "elements", "heads"});
}

/// Which linear layers have biases; `attention` are q, k, v and the output, `all` also the feed-forward
/// layer.
enum class BiasChoice { model, none, qkv, attention, all };
constexpr auto enum_names(BiasChoice) {
  return named<BiasChoice::all>("biases", {"model", "none", "qkv", "attention", "all"});
}

/// What tells the model where a token is: RoPE, or a learned vector per position.
enum class PositionEmbedding { model, rope, learned };
constexpr auto enum_names(PositionEmbedding) {
  return named<PositionEmbedding::learned>("position embedding", {"model", "rope", "learned"});
}

enum class NormChoice { model, rms, layer };
constexpr auto enum_names(NormChoice) {
  return named<NormChoice::layer>("norm", {"model", "rms", "layer"});
}

enum class FeedForwardChoice { model, swiglu, gelu_tanh };
constexpr auto enum_names(FeedForwardChoice) {
  return named<FeedForwardChoice::gelu_tanh>("feed-forward layer", {"model", "swiglu", "gelu_tanh"});
}

/// Linear layers that may get low-rank adapters.
enum class LoraTarget { wq, wk, wv, wo, w1, w2, w3 };
constexpr auto enum_names(LoraTarget) {
  return named<LoraTarget::w3>("target of adapters", {"wq", "wk", "wv", "wo", "w1", "w2", "w3"});
}

/// Whether an adapter's product is added to the layer's output, or its matrix to the layer's weight.
enum class LoraForm { unmerged, merged };
constexpr auto enum_names(LoraForm) {
  return named<LoraForm::merged>("form of adapters", {"unmerged", "merged"});
}

/// What alpha is divided by: the rank, or its square root.
enum class LoraScale { rank, sqrt_rank };
constexpr auto enum_names(LoraScale) {
  return named<LoraScale::sqrt_rank>("scale of adapters", {"rank", "sqrt_rank"});
}

/// How far the labels of multi-token prediction are shifted: depth k predicts k tokens further; or, wrongly,
/// each depth predicts the main model's labels.
enum class MtpLabels { shifted, unshifted };
constexpr auto enum_names(MtpLabels) {
  return named<MtpLabels::unshifted>("labels of multi-token prediction", {"shifted", "unshifted"});
}

/// How a gated delta net computes its state: token by token, in chunks by products of matrices, or, wrongly,
/// in chunks that each begin with an empty state.
enum class DeltaForm { recurrent, chunked, forgetful };
constexpr auto enum_names(DeltaForm) {
  return named<DeltaForm::forgetful>("form of the gated delta rule", {"recurrent", "chunked", "forgetful"});
}

/// Whose largest logit QK-clip bounds: each head's, or that of a block, with one factor for all its heads.
enum class QkClipScope { head, layer };
constexpr auto enum_names(QkClipScope) {
  return named<QkClipScope::layer>("scope of QK-clip", {"head", "layer"});
}

}  // namespace parity::reference
