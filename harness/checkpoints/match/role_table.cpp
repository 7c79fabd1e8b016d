// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/role_table.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace parity::checkpoints {
namespace {

constexpr RowGroups in_one = RowGroups::concatenated, by_head = RowGroups::by_key_head;
constexpr RowOrder none = RowOrder::none, halves = RowOrder::halves, pairs = RowOrder::pairs;

constexpr auto outside = std::to_array<RoleRow>({
    {"embed_tokens", "embedding"},
    {"tok_embeddings", "embedding"},
    {"wte", "embedding"},
    {"embed_in", "embedding"},
    {"word_embeddings", "embedding"},
    {"embedding.word_embeddings", "embedding"},
    {"wpe", "positions"},
    {"embedding.position_embeddings", "positions"},
    {"norm", "final_norm"},
    {"ln_f", "final_norm"},
    {"final_norm", "final_norm"},
    {"final_layernorm", "final_norm"},
    {"final_layer_norm", "final_norm"},
    {"lm_head", "output"},
    {"output", "output"},
    {"output_layer", "output"},
    {"embed_out", "output"},
});

constexpr auto in_blocks = std::to_array<RoleRow>({
    // Attention.
    {"self_attn.q_proj", "q", halves, true},
    {"attention.wq", "q", pairs, true},
    {"attention.qkv_linear.wq", "q", pairs, true},
    {"self_attn.k_proj", "k", halves, true},
    {"attention.wk", "k", pairs, true},
    {"attention.qkv_linear.wk", "k", pairs, true},
    {"self_attn.v_proj", "v", none, true},
    {"attention.wv", "v", none, true},
    {"attention.qkv_linear.wv", "v", none, true},
    {"self_attn.qkv_proj", "qkv", halves, true, in_one},
    {"self_attention.linear_qkv", "qkv", halves, true, by_head},
    {"self_attention.query_key_value", "qkv", halves, true, by_head},
    {"attention.query_key_value", "qkv", halves, true, by_head},
    {"attention.wqkv", "qkv", pairs, true, by_head},
    {"attention.qkv_linear.wqkv", "qkv", pairs, true, by_head},
    {"attn.c_attn", "qkv", none, true, in_one},
    {"attn.qkv", "qkv", none, true, in_one},
    {"self_attn.o_proj", "o", none, true},
    {"self_attn.out_proj", "o", none, true},
    {"attention.wo", "o", none, true},
    {"attn.c_proj", "o", none, true},
    {"self_attention.linear_proj", "o", none, true},
    {"self_attention.dense", "o", none, true},
    {"attention.dense", "o", none, true},
    {"self_attn.q_norm", "q_norm", halves},
    {"self_attention.q_layernorm", "q_norm", halves},
    {"attention.q_norm", "q_norm", pairs},
    {"self_attn.k_norm", "k_norm", halves},
    {"self_attention.k_layernorm", "k_norm", halves},
    {"attention.k_norm", "k_norm", pairs},
    // Attention with latents, whose RoPE takes pairs everywhere.
    {"self_attn.q_a_proj", "q_a"},
    {"attention.wq_a", "q_a"},
    {"self_attn.q_a_layernorm", "q_norm"},
    {"self_attn.q_b_proj", "q_b"},
    {"attention.wq_b", "q_b"},
    {"self_attn.kv_a_proj_with_mqa", "kv_a"},
    {"attention.wkv_a", "kv_a"},
    {"self_attn.kv_a_layernorm", "kv_norm"},
    {"attention.kv_norm", "kv_norm"},
    {"self_attn.kv_b_proj", "kv_b"},
    {"attention.wkv_b", "kv_b"},
    // Norms.
    {"input_layernorm", "norm1"},
    {"attention_norm", "norm1"},
    {"ln_1", "norm1"},
    {"self_attention.linear_qkv.layer_norm", "norm1"},
    {"post_attention_layernorm", "norm2"},
    {"ffn_norm", "norm2"},
    {"ln_2", "norm2"},
    {"pre_mlp_layernorm", "norm2"},
    {"mlp.linear_fc1.layer_norm", "norm2"},
    // Feed-forward.
    {"mlp.gate_proj", "gate", none, true},
    {"feed_forward.w1", "gate", none, true},
    {"feed_forward.gate_proj", "gate", none, true},
    {"mlp.up_proj", "up", none, true},
    {"feed_forward.w3", "up", none, true},
    {"feed_forward.up_proj", "up", none, true},
    {"mlp.gate_up_proj", "gate_up", none, true},
    {"feed_forward.w13", "gate_up", none, true},
    {"mlp.linear_fc1", "fc1", none, true},
    {"mlp.c_fc", "fc1", none, true},
    {"mlp.dense_h_to_4h", "fc1", none, true},
    {"mlp.down_proj", "down", none, true},
    {"feed_forward.w2", "down", none, true},
    {"feed_forward.down_proj", "down", none, true},
    {"mlp.linear_fc2", "down", none, true},
    {"mlp.c_proj", "down", none, true},
    {"mlp.dense_4h_to_h", "down", none, true},
    // Mixtures of experts.
    {"mlp.gate", "router"},
    {"moe.router.gate", "router"},
    {"block_sparse_moe.gate", "router"},
    {"mlp.router", "router"},
    {"feed_forward.router", "router"},
    {"mlp.gate.e_score_correction_bias", "expert_bias"},
    {"moe.expert_bias", "expert_bias"},
    {"moe.expert_bias_E", "expert_bias"},
    {"mlp.router.expert_bias", "expert_bias"},
    {"mlp.experts.#.gate_proj", "experts.gate"},
    {"mlp.experts.#.up_proj", "experts.up"},
    {"mlp.experts.#.down_proj", "experts.down"},
    {"block_sparse_moe.experts.#.w1", "experts.gate"},
    {"block_sparse_moe.experts.#.w3", "experts.up"},
    {"block_sparse_moe.experts.#.w2", "experts.down"},
    {"mlp.experts.local_experts.#.linear_fc1", "experts.gate_up"},
    {"mlp.experts.local_experts.#.linear_fc2", "experts.down"},
    {"mlp.experts.linear_fc1.#", "experts.gate_up"},
    {"mlp.experts.linear_fc2.#", "experts.down"},
    {"moe.experts.w1", "experts.gate"},
    {"moe.experts.w3", "experts.up"},
    {"moe.experts.w2", "experts.down"},
    {"moe.routed_experts.inner_experts.w1_EFD", "experts.gate"},
    {"moe.routed_experts.inner_experts.w3_EFD", "experts.up"},
    {"moe.routed_experts.inner_experts.w2_EDF", "experts.down"},
    {"mlp.experts.gate_up_proj", "experts.gate_up"},
    {"mlp.experts.down_proj", "experts.down"},
    {"feed_forward.experts.gate_up_proj", "experts.gate_up"},
    {"feed_forward.experts.down_proj", "experts.down"},
    {"moe.shared_experts.w1", "shared.gate", none, true},
    {"moe.shared_experts.w3", "shared.up", none, true},
    {"moe.shared_experts.w2", "shared.down", none, true},
    {"mlp.shared_experts.gate_proj", "shared.gate", none, true},
    {"mlp.shared_experts.up_proj", "shared.up", none, true},
    {"mlp.shared_experts.down_proj", "shared.down", none, true},
    {"mlp.shared_experts.linear_fc1", "shared.gate_up", none, true},
    {"mlp.shared_experts.linear_fc2", "shared.down", none, true},
    {"feed_forward.shared_expert.gate_proj", "shared.gate", none, true},
    {"feed_forward.shared_expert.up_proj", "shared.up", none, true},
    {"feed_forward.shared_expert.down_proj", "shared.down", none, true},
});

}  // namespace

const RoleRow* find_role(std::string_view part, bool in_block) {
  const std::span<const RoleRow> table = in_block ? std::span<const RoleRow>(in_blocks) : outside;
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const RoleRow& row) { return row.part == part; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace parity::checkpoints
