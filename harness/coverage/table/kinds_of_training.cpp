// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/json.hpp"
#include "harness/coverage/table/rows.hpp"
#include "harness/coverage/table/settings.hpp"

namespace parity::coverage {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;
using enum Role;

namespace {

const FlatConfig by_position = {{"attention.documents", Json::array({"position_zero"})}};
const FlatConfig no_experts = {{"moe.experts", 0}};
const FlatConfig no_latent = {{"architecture.n_kv_heads", 2}, {"architecture.kv_lora_rank", 0}};
const FlatConfig tied = {{"architecture.tied_embeddings", "on"}};
const FlatConfig untied = {{"architecture.tied_embeddings", "off"}};
const FlatConfig query_norm = {{"architecture.qk_norm", "on"}};
const FlatConfig no_query_norm = {{"architecture.qk_norm", "off"}};

/// A file of weights, for a model of the parts that the file has.
/// \param tokens  the vocabulary of the file
FlatConfig weights(const char* file, int64_t tokens = 128) {
  return {{"weights.path", std::string("{case_dir}/") + file},
          {"architecture.vocab_size", tokens},
          {"architecture.attention_gate", "none"},
          {"architecture.attention_sinks", false},
          {"architecture.biases", "none"},
          {"architecture.full_attention_every", 0},
          {"architecture.fused_qkv", false},
          {"architecture.mtp_depth", 0}};
}

}  // namespace

std::vector<Feature> kinds_of_training() {
  return {
      {"microbatch_mean",
       "a loss that is the mean of the micro-batches' means",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "loss.normalization") == "microbatch_mean"; },
       {{{"loss.normalization", "microbatch_mean"}, {"data.micro_batches", 4}}}},
      {"evaluation",
       "a loss of held rows after each update",
       mathematics,
       [](const FlatConfig& c) { return flag_of(c, "train.evaluate"); },
       {{{"train.evaluate", true}}}},
      {"packing",
       "documents packed into sequences",
       mathematics,
       [](const FlatConfig& c) { return is_set(c, "data.packing", "none"); },
       {packed(), padded(), packed_file()}},
      {"document_mask",
       "attention that stays within documents",
       mathematics,
       [](const FlatConfig& c) { return has_entries(c, "attention.documents"); },
       {plus(plus(packed(), by_position), backend("flex")),
        plus(plus(packed(), by_position), backend("tiled")),
        plus(plus(padded(), by_position), backend("flex")),
        plus(plus(packed_file(), by_position), backend("flex")), plus(packed_rollouts(), backend("flex"))}},
      {"local_attention",
       "a sliding window or fixed blocks",
       mathematics,
       [](const FlatConfig& c) {
         return integer_of(c, "attention.sliding_window", 0) > 0 ||
                integer_of(c, "attention.fixed_block", 0) > 0;
       },
       {plus(backend("flex"), {{"attention.sliding_window", 8}}),
        plus(backend("tiled"), {{"attention.sliding_window", 8}})}},
      {"sgd",
       "SGD in place of AdamW",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "optimizer.name") == "sgd"; },
       {{{"optimizer.name", "sgd"}, {"optimizer.momentum", 0.9}, {"lr.base", 0.5}}}},
      {"muon",
       "Muon for matrices, AdamW for the rest",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "optimizer.name") == "muon"; },
       {{{"optimizer.name", "muon"}, {"lr.base", 2e-2}}}},
      {"lion",
       "Lion in place of AdamW",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "optimizer.name") == "lion"; },
       {{{"optimizer.name", "lion"}, {"optimizer.implementation", "plain"}, {"lr.base", 3e-3}}}},
      {"adafactor",
       "Adafactor in place of AdamW",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "optimizer.name") == "adafactor"; },
       {{{"optimizer.name", "adafactor"}, {"optimizer.implementation", "plain"}, {"lr.base", 5e-2}}}},
      {"freezing",
       "parameters that do not train",
       mathematics,
       [](const FlatConfig& c) { return has_entries(c, "train.freeze"); },
       {{{"train.freeze", Json::array({"tok_embeddings.*", "layers.0.*"})}}}},
      {"lora",
       "low-rank adapters, and nothing else that trains",
       mathematics,
       [](const FlatConfig& c) { return is_positive(c, "lora.rank"); },
       {adapters({"wq", "wk", "wv", "wo", "w1", "w2", "w3"}), adapters({"wq", "wv", "wo"})}},
      {"multi_token",
       "a loss of the token after the next one",
       mathematics,
       [](const FlatConfig& c) { return is_positive(c, "architecture.mtp_depth"); },
       {{{"architecture.mtp_depth", 1}}}},
      {"z_loss",
       "a loss of the logits' log-sum-exp",
       mathematics,
       [](const FlatConfig& c) { return is_positive(c, "loss.z_coef"); },
       {{{"loss.z_coef", 1e-3}}}},
      {"decay_ramp",
       "a weight decay that moves",
       mathematics,
       [](const FlatConfig& c) { return is_set(c, "optimizer.weight_decay_ramp", "constant"); },
       {{{"lr.schedule", "megatron"},
         {"optimizer.weight_decay_ramp", "linear"},
         {"optimizer.weight_decay", 0.2},
         {"optimizer.weight_decay_start", 0.05},
         {"lr.init_factor", 0.3}}}},
      {"experts",
       "a mixture of experts",
       mathematics,
       [](const FlatConfig& c) { return integer_of(c, "moe.experts", 0) > 0; },
       {experts()}},
      {"latent",
       "multi-head latent attention",
       mathematics,
       [](const FlatConfig& c) { return integer_of(c, "architecture.kv_lora_rank", 0) > 0; },
       {latent()}},
      {"tied",
       "an output projection that is the embedding",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "architecture.tied_embeddings") == "on"; },
       {tied}},
      {"qk_norm",
       "norms of queries and keys",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "architecture.qk_norm") == "on"; },
       {query_norm}},
      {"weights_file",
       "first weights from a file",
       mathematics,
       [](const FlatConfig& c) { return !text_of(c, "weights.path").empty(); },
       {plus(weights("../models/torchtitan.safetensors"),
             plus(plus(no_experts, no_latent), plus(untied, no_query_norm))),
        plus(weights("latent_experts_tied.safetensors"), plus(plus(experts(), latent()), tied)),
        plus(weights("qk_norm.safetensors"), plus(plus(no_experts, no_latent), plus(untied, query_norm))),
        plus(weights("policy.safetensors", policy_tokens),
             plus(plus(no_experts, no_latent), plus(untied, no_query_norm)))}},
  };
}

}  // namespace parity::coverage
