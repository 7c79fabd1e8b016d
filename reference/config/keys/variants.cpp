// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys of parts that some families of models have, and of training a part of a model.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"

namespace parity::reference::rows {

std::vector<Key> variant_keys() {
  return {
      key("architecture.attention_softcap", PARITY_AT(architecture.attention_softcap),
          "c of c tanh(score / c), which bounds attention's scores before the softmax (Gemma 2); 0 = none. "
          "flex and dense."),
      key("architecture.logit_softcap", PARITY_AT(architecture.logit_softcap),
          "c of c tanh(logit / c), which bounds the logits (Gemma 2); 0 = none."),
      key("architecture.embedding_scale", PARITY_AT(architecture.embedding_scale),
          "Factor of the embedding: none, sqrt_dim (Gemma), or sqrt_dim_bfloat16, that root rounded to "
          "bfloat16 as in bfloat16 models of Hugging Face."),
      key("architecture.attention_sinks", PARITY_AT(architecture.attention_sinks),
          "A learned logit for each head in the softmax's denominator, attention.sinks (gpt-oss), initially "
          "0. flex and dense."),
      key("architecture.attention_gate", PARITY_AT(architecture.attention_gate),
          "A sigmoid of attention.wg x multiplies attention's output before wo: elements, each element "
          "(Qwen3-Next); heads, each head; or none."),
      key("architecture.biases", PARITY_AT(architecture.biases),
          "Linear layers of the blocks with biases: none; qkv (Qwen2); attention, also wo (gpt-oss); all, "
          "also the feed-forward layer (GPT-2); or the model's own."),
      key("architecture.positions", PARITY_AT(architecture.positions),
          "rope, or learned: a vector for each position, pos_embeddings, is added to the embedding (GPT-2); "
          "or the model's own."),
      key("architecture.norm", PARITY_AT(architecture.norm),
          "rms, or layer: LayerNorm with bias (GPT-2); or the model's own."),
      key("architecture.feed_forward", PARITY_AT(architecture.feed_forward),
          "swiglu: w2 (silu(w1 x) w3 x); gelu_tanh: w2 gelu(w1 x), GELU by tanh (GPT-2); or the model's "
          "own."),
      key("architecture.mtp_depth", PARITY_AT(architecture.mtp_depth),
          "Tokens beyond the next one that multi-token prediction predicts, each by a module of one block "
          "(DeepSeek-V3); 0 = none."),
      key("architecture.full_attention_every", PARITY_AT(architecture.full_attention_every),
          "Blocks k - 1, 2 k - 1, ... have softmax attention, and all others a gated delta net, delta_net "
          "(Qwen3-Next: 4); 0 = every block attends."),
      key("architecture.delta_form", PARITY_AT(architecture.delta_form),
          "How gated delta nets compute their state: recurrent, token by token; chunked, by products of "
          "matrices; forgetful, in chunks that begin with an empty state, a planted defect."),
      key("architecture.delta_chunk", PARITY_AT(architecture.delta_chunk),
          "Tokens of a chunk of a gated delta net."),
  };
}

std::vector<Key> lora_keys() {
  return {
      key("lora.rank", PARITY_AT(lora.rank),
          "Rank of adapters that train in place of the model's own weights (LoRA); 0 = none."),
      key("lora.alpha", PARITY_AT(lora.alpha), "Scale of the adapters, before it is divided."),
      key("lora.scale", PARITY_AT(lora.scale),
          "What lora.alpha is divided by: the rank, or its square root (rsLoRA)."),
      key("lora.targets", PARITY_AT(lora.targets),
          "Linear layers that have adapters; empty = wq and wv. No adapters of experts."),
      key("lora.form", PARITY_AT(lora.form), "unmerged: W x + scale B (A x); merged: (W + scale B A) x."),
  };
}

}  // namespace parity::reference::rows
