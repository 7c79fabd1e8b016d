// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <tuple>
#include <utility>

#include "reference/config/model_names.hpp"
#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

void check_architecture(const RunConfig& config, const Rules& rules) {
  const ArchitectureConfig& a = config.architecture;
  rules.at_least(a.dim, 0, "architecture.dim");
  rules.at_least(a.n_layers, 0, "architecture.n_layers");
  rules.at_least(a.n_heads, 0, "architecture.n_heads");
  rules.at_least(a.n_kv_heads, 0, "architecture.n_kv_heads");
  rules.at_least(a.vocab_size, 0, "architecture.vocab_size");
  rules.at_least(a.ffn_hidden, 0, "architecture.ffn_hidden");
  rules.at_least(a.max_seq_len, 0, "architecture.max_seq_len");
  rules.within(a.rope_theta, 0, 1e12, "architecture.rope_theta");
  rules.within(a.norm_eps, 0, 1, "architecture.norm_eps");
  rules.at_least(a.nope_every, 0, "architecture.nope_every");
  const ModelDimensions d = dimensions_of(config);
  rules.at_least(a.head_dim, 0, "architecture.head_dim");
  rules.rule(d.head_width > 0 || d.dim % d.n_heads == 0, "architecture.n_heads",
             "dim " + std::to_string(d.dim) + " does not divide into " + std::to_string(d.n_heads) + " heads",
             "choose a divisor of dim");
  rules.rule(d.is_latent() || d.learned_positions || d.head_dim() % 2 == 0,
             d.head_width > 0 ? "architecture.head_dim" : "architecture.n_heads",
             "a head has " + std::to_string(d.head_dim()) + " dimensions, and RoPE rotates pairs",
             "make a head's width even");
  rules.rule(!d.tied || config.parallel.pp == 1, "architecture.tied_embeddings",
             "the embedding of a tied model is on the first stage of a pipeline and its output projection "
             "on the last",
             "set architecture.tied_embeddings = \"off\" or parallel.pp = 1");
  rules.rule(d.n_heads % d.n_kv_heads == 0, "architecture.n_kv_heads",
             std::to_string(d.n_heads) + " query heads cannot share " + std::to_string(d.n_kv_heads) +
                 " key heads evenly",
             "choose a divisor of n_heads");
  rules.rule(config.data.seq_len <= d.max_seq_len, "data.seq_len",
             "the table of positions has " + std::to_string(d.max_seq_len) + " rows",
             "shorten the sequence or raise architecture.max_seq_len");
  rules.rule(config.data.source != DataSource::text || d.vocab_size >= 258, "architecture.vocab_size",
             "the byte tokenizer has 258 tokens", "give 258 or more");
  rules.rule(config.data.source != DataSource::synthetic || d.vocab_size >= 8, "architecture.vocab_size",
             "the synthetic corpus needs 8 symbols", "give 8 or more");
}

void check_latent(const RunConfig& config, const Rules& rules) {
  const ArchitectureConfig& a = config.architecture;
  rules.at_least(a.kv_lora_rank, 0, "architecture.kv_lora_rank");
  const ModelDimensions d = dimensions_of(config);
  const LatentDimensions& latent = d.latent;
  for (const auto& [asked, own, key] :
       {std::tuple(a.q_lora_rank, int64_t{1}, "architecture.q_lora_rank"),
        std::tuple(a.qk_nope_head_dim, latent.nope_width, "architecture.qk_nope_head_dim"),
        std::tuple(a.qk_rope_head_dim, latent.rope_width, "architecture.qk_rope_head_dim"),
        std::tuple(a.v_head_dim, latent.value_width, "architecture.v_head_dim")}) {
    rules.at_least(asked, 0, key);
    rules.used_or_default(d.is_latent(), key, "a model without latent attention",
                          "set architecture.kv_lora_rank");
    rules.rule(!d.is_latent() || own > 0, key, "the model has no width of its own", "give one");
  }
  if (!d.is_latent())
    return;
  for (const auto& [width, key] : {std::pair(latent.rope_width, "architecture.qk_rope_head_dim"),
                                   std::pair(latent.nope_width, "architecture.qk_nope_head_dim"),
                                   std::pair(latent.kv_rank, "architecture.kv_lora_rank")})
    rules.rule(width % 2 == 0, key, "RoPE rotates pairs, which begin at even indices", "make it even");
  rules.used_or_default(false, "architecture.head_dim", "a model with latent attention",
                        "set architecture.qk_nope_head_dim and architecture.qk_rope_head_dim");
  rules.used_or_default(false, "architecture.n_kv_heads", "a model with latent attention",
                        "set architecture.n_heads: each head has keys of its own");
  rules.rule(!d.qk_norm, "architecture.qk_norm", "latent attention has norms of its latents",
             "set architecture.qk_norm = \"off\"");
  rules.rule(!d.fused_qkv, "architecture.fused_qkv", "queries and keys come from different inputs",
             "set it false");
  rules.rule(d.rope_weights == RopeWeights::own, "architecture.rope_weights",
             "a latent model has its rows in the order of its own RoPE", "set it to \"own\"");
}

}  // namespace

void check_model(const RunConfig& config, const Rules& rules) {
  check_architecture(config, rules);
  check_latent(config, rules);
  check_moe(config, rules);
  check_variants(config, rules);
  check_delta_net(config, rules);
  check_qk_clip(config, rules);
}

}  // namespace parity::reference
