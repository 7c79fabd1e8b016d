// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Keys that choose the model.
#include "reference/config/keys/rows.hpp"
#include "reference/config/keys/sections.hpp"
#include "reference/config/model_names.hpp"

namespace parity::reference::rows {

std::vector<Key> model_keys() {
  return {
      with_values(key("model", PARITY_AT(model), "The model whose dimensions and initialization are used."),
                  model_names()),
      key("architecture.dim", PARITY_AT(architecture.dim),
          "Width of the residual stream; 0 = the model's own."),
      key("architecture.n_layers", PARITY_AT(architecture.n_layers),
          "Number of blocks; 0 = the model's own."),
      key("architecture.n_heads", PARITY_AT(architecture.n_heads), "Query heads; 0 = the model's own."),
      key("architecture.n_kv_heads", PARITY_AT(architecture.n_kv_heads),
          "Key and value heads; 0 = the model's own, or architecture.n_heads if that is set."),
      key("architecture.head_dim", PARITY_AT(architecture.head_dim),
          "Width of a head; 0 = the model's own, or architecture.dim / heads."),
      key("architecture.vocab_size", PARITY_AT(architecture.vocab_size), "Vocabulary; 0 = the model's own."),
      key("architecture.ffn_hidden", PARITY_AT(architecture.ffn_hidden),
          "Width of the feed-forward layer; 0 = the model's own, or 8/3 of architecture.dim rounded up to "
          "256."),
      key("architecture.max_seq_len", PARITY_AT(architecture.max_seq_len),
          "Rows of the RoPE table; 0 = the model's own."),
      key("architecture.rope_theta", PARITY_AT(architecture.rope_theta), "RoPE base; 0 = the model's own."),
      key("architecture.norm_eps", PARITY_AT(architecture.norm_eps),
          "Epsilon of RMSNorm; 0 = the model's own."),
      key("architecture.rope_scaling", PARITY_AT(architecture.rope_scaling),
          "RoPE frequency scaling: the model's own, Llama 3's, Llama 4's, YaRN's, or none."),
      key("architecture.rope", PARITY_AT(architecture.rope),
          "complex: RoPE rotates neighbouring elements of a head (Llama, DeepSeek); rotate_half: elements "
          "half a head apart (Hugging Face, Qwen3); or the model's own."),
      key("architecture.rope_weights", PARITY_AT(architecture.rope_weights),
          "permuted: rows of wq and wk are reordered, so that rotate_half computes what complex computes in "
          "their own order."),
      key("architecture.qk_norm", PARITY_AT(architecture.qk_norm),
          "RMSNorm of each query and key head before RoPE: on, off, or the model's own."),
      key("architecture.tied_embeddings", PARITY_AT(architecture.tied_embeddings),
          "The output projection is the embedding: on, off, or the model's own."),
      key("architecture.initialization", PARITY_AT(architecture.initialization),
          "depth_scaled: torchtitan's scheme for Llama, and for Qwen3 until 2026; normal: standard deviation "
          "0.02 "
          "for every "
          "matrix (Qwen3); gpt2: the same, and 0.02 / sqrt(2 layers) for the ends of branches; or the "
          "model's own."),
      key("architecture.nope_every", PARITY_AT(architecture.nope_every),
          "Blocks 0, k, 2 k, ... have no RoPE and ignore attention.fixed_block and attention.sliding_window "
          "(iRoPE); 0 = the model's own."),
      key("architecture.fused_qkv", PARITY_AT(architecture.fused_qkv),
          "One matrix attention.wqkv in place of wq, wk and wv, with the same initial values."),
      key("architecture.kv_lora_rank", PARITY_AT(architecture.kv_lora_rank),
          "Width of the latent that keys and values are computed from (multi-head latent attention); 0 = the "
          "model's own, or grouped-query attention."),
      key("architecture.q_lora_rank", PARITY_AT(architecture.q_lora_rank),
          "Width of a latent that queries are computed from; 0 = the model's own, or none."),
      key("architecture.qk_nope_head_dim", PARITY_AT(architecture.qk_nope_head_dim),
          "Elements of a latent model's query and key heads that RoPE leaves unchanged; 0 = the model's "
          "own."),
      key("architecture.qk_rope_head_dim", PARITY_AT(architecture.qk_rope_head_dim),
          "Elements after those that RoPE rotates; all key heads share them; 0 = the model's own."),
      key("architecture.v_head_dim", PARITY_AT(architecture.v_head_dim),
          "Width of a latent model's value heads; 0 = the model's own."),
  };
}

std::vector<Key> moe_keys() {
  return {
      key("moe.experts", PARITY_AT(moe.experts), "Experts per block with experts; 0 = the model's own."),
      key("moe.top_k", PARITY_AT(moe.top_k), "Experts per token; 0 = the model's own."),
      key("moe.hidden", PARITY_AT(moe.hidden), "Width of an expert; 0 = the model's own."),
      key("moe.shared_hidden", PARITY_AT(moe.shared_hidden),
          "Total width of the shared experts, which every token goes through; 0 = the model's own."),
      key("moe.every", PARITY_AT(moe.every), "Blocks k - 1, 2 k - 1, ... have experts; 0 = the model's own."),
      key("moe.score", PARITY_AT(moe.score), "The router's scores: softmax, sigmoid, or the model's own."),
      key("moe.score_place", PARITY_AT(moe.score_place),
          "after: scores multiply the experts' outputs; before: their inputs (Llama 4); or the model's own."),
      key("moe.route_norm", PARITY_AT(moe.route_norm),
          "A token's scores are divided by their sum: on, off, or the model's own."),
      key("moe.route_scale", PARITY_AT(moe.route_scale), "Factor of all scores; 0 = the model's own."),
      key("moe.groups", PARITY_AT(moe.groups),
          "Groups of experts, of which a token uses moe.limited_groups; 0 = the model's own."),
      key("moe.limited_groups", PARITY_AT(moe.limited_groups),
          "Groups that a token uses, by the sum of their two best scores; 0 = the model's own."),
      key("moe.load_balance", PARITY_AT(moe.load_balance),
          "Biases of the choice of experts, moved against the load before each update (no auxiliary loss): "
          "on, off, or the model's own."),
      key("moe.load_balance_coeff", PARITY_AT(moe.load_balance_coeff), "Step by which a bias moves."),
      key("moe.force_balance", PARITY_AT(moe.force_balance),
          "Tokens go to the experts in turn, regardless of scores (for debugging)."),
      key("moe.matmul", PARITY_AT(moe.matmul),
          "loop: one product per expert, in the training dtype; grouped_bf16: one grouped product with "
          "everything cast to bfloat16, as in torchtitan. A float64 twin uses the loop."),
      key("moe.balance_loss", PARITY_AT(moe.balance_loss),
          "Auxiliary loss that evens out the experts' load. switch: of all tokens of moe.balance_loss_scope "
          "(Switch Transformer, Megatron); sequence: of each sequence by itself, averaged (DeepSeek-V3)."),
      key("moe.balance_loss_coeff", PARITY_AT(moe.balance_loss_coeff),
          "Factor of the balance loss, which is 1 for an even load."),
      key("moe.balance_loss_scope", PARITY_AT(moe.balance_loss_scope),
          "Tokens over which moe.balance_loss = switch counts the load of an expert: those of the "
          "micro-batch "
          "of one rank, or of the whole update, counted in a forward pass of its own."),
      key("moe.z_loss_coeff", PARITY_AT(moe.z_loss_coeff),
          "Factor of the router's z-loss, the mean over tokens of logsumexp(logits)^2 (ST-MoE); 0 = none."),
      key("moe.capacity_factor", PARITY_AT(moe.capacity_factor),
          "An expert takes at most this many times the mean load, rounded up, of the tokens that one rank "
          "routes at a time. What does not fit is dropped; 0 = every token is taken (dropless)."),
      key("moe.drop", PARITY_AT(moe.drop),
          "What an expert at its capacity drops: the last tokens (position) or those with the lowest scores "
          "(score)."),
      not_numeric(key("moe.replay", PARITY_AT(moe.replay),
                      "Trace with recorded routes (moe.routes) that replace the router's choice of experts; "
                      "the scores stay the run's own. In a case {trace:ARM} is the trace of another arm.")),
  };
}

}  // namespace parity::reference::rows
