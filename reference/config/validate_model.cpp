// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "reference/config/model_names.hpp"
#include "reference/config/rules.hpp"

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

void check_router(const MoeDimensions& d, const Rules& rules) {
  const std::string experts = std::to_string(d.experts);
  rules.rule(d.top_k >= 1 && d.top_k <= d.experts, "moe.top_k",
             "there are " + experts + " experts, and a token goes to each at most once",
             "choose moe.top_k from 1 to moe.experts");
  rules.rule(d.groups == 0 || (d.experts % d.groups == 0 && d.experts / d.groups >= 2), "moe.groups",
             experts + " experts do not divide into that many equal groups of two or more",
             "choose a divisor of moe.experts, at most half of it");
  rules.rule(d.groups > 0 || d.limited_groups == 0, "moe.limited_groups", "the experts have no groups",
             "set moe.groups");
  rules.rule(d.groups == 0 || (d.limited_groups >= 1 && d.limited_groups <= d.groups), "moe.limited_groups",
             "there are " + std::to_string(d.groups) + " groups, and a token uses at least one",
             "choose 1 to moe.groups");
  rules.rule(d.groups == 0 || d.top_k <= d.limited_groups * (d.experts / d.groups), "moe.top_k",
             "the groups that a token uses have " +
                 std::to_string(d.limited_groups * (d.experts / std::max<int64_t>(1, d.groups))) + " experts",
             "choose fewer, or raise moe.limited_groups");
}

void check_moe(const RunConfig& config, const Rules& rules) {
  const MoeConfig& moe = config.moe;
  for (const auto& [value, key] :
       {std::pair(moe.experts, "moe.experts"), std::pair(moe.top_k, "moe.top_k"),
        std::pair(moe.hidden, "moe.hidden"), std::pair(moe.shared_hidden, "moe.shared_hidden"),
        std::pair(moe.every, "moe.every"), std::pair(moe.groups, "moe.groups"),
        std::pair(moe.limited_groups, "moe.limited_groups")})
    rules.at_least(value, 0, key);
  rules.within(moe.route_scale, 0, 1e6, "moe.route_scale");
  rules.within(moe.load_balance_coeff, 0, 1, "moe.load_balance_coeff");
  const MoeDimensions d = dimensions_of(config).moe;
  for (const char* key : {"moe.top_k", "moe.hidden", "moe.shared_hidden", "moe.every", "moe.score",
                          "moe.score_place", "moe.route_norm", "moe.route_scale", "moe.groups",
                          "moe.limited_groups", "moe.load_balance", "moe.force_balance", "moe.matmul"})
    rules.used_or_default(d.experts > 0, key, "a model without experts", "set moe.experts");
  rules.used_or_default(d.load_balance > 0, "moe.load_balance_coeff", "a router without biases",
                        "set moe.load_balance = \"on\"");
  if (d.experts == 0)
    return;
  rules.rule(d.hidden > 0, "moe.hidden", "the model's own experts have no width", "give it");
  for (const auto& [width, what] :
       {std::pair(d.hidden, "moe.hidden"), std::pair(dimensions_of(config).dim, "architecture.dim")})
    rules.rule(d.matmul == ExpertMatmul::loop || width % 8 == 0, "moe.matmul",
               std::string(what) + " is " + std::to_string(width) +
                   ", and PyTorch's grouped product needs rows of multiples of 16 bytes",
               "let 8 divide " + std::string(what) + ", or set moe.matmul = \"loop\"");
  check_router(d, rules);
}

}  // namespace

void check_model(const RunConfig& config, const Rules& rules) {
  check_architecture(config, rules);
  check_latent(config, rules);
  check_moe(config, rules);
  check_variants(config, rules);
}

}  // namespace parity::reference
