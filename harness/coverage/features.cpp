// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/features.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/coverage/acting.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using suite::integer_of;
using suite::text_of;
using enum Role;

bool flag_of(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_boolean() && found->second.get<bool>();
}

bool has_entries(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_array() && !found->second.empty();
}

/// Returns whether a key has a text that is neither missing nor its default.
bool is_set(const FlatConfig& config, const std::string& key, std::string_view unset) {
  const std::string value = text_of(config, key);
  return !value.empty() && value != unset;
}

bool is_divided(const FlatConfig& config, const char* key) {
  return integer_of(config, key, 1) > 1;
}

bool resumes_elsewhere(const FlatConfig& config) {
  for (const char* key : {"dp_replicate", "dp_shard", "tp", "cp", "pp", "ep"}) {
    const int64_t resumed = integer_of(config, std::string("checkpoint.resume_") + key, 0);
    if (resumed > 0 && resumed != integer_of(config, std::string("parallel.") + key, 1))
      return true;
  }
  return false;
}

/// Joins settings whose keys differ.
FlatConfig plus(FlatConfig one, const FlatConfig& other) {
  one.insert(other.begin(), other.end());
  return one;
}

const FlatConfig tensor = {{"parallel.tp", 2}};
const FlatConfig sharded = {{"parallel.dp_shard", 2}, {"parallel.replicate_with", "all_reduce"}};
const FlatConfig context = {{"parallel.cp", 2}, {"attention.backend", "flex"}};
const FlatConfig pipeline = {{"parallel.pp", 2}, {"parallel.pp_microbatches", 2}};
const FlatConfig micro_batches = {{"data.micro_batches", 2}};
const FlatConfig restart = {{"checkpoint.restart_after", 4}};
const FlatConfig packed = {
    {"data.packing", "concat_then_split"}, {"data.positions", "document"}, {"data.document_tokens", 12}};
const FlatConfig padded = {
    {"data.packing", "first_fit"}, {"data.positions", "document"}, {"data.document_tokens", 12}};
const FlatConfig by_position = {{"attention.documents", Json::array({"position_zero"})}};
const FlatConfig experts = {
    {"moe.experts", 4}, {"moe.top_k", 2}, {"moe.hidden", 32}, {"moe.load_balance", "on"}};
const FlatConfig no_experts = {{"moe.experts", 0}};
const FlatConfig latent = {{"architecture.n_kv_heads", 0},
                           {"architecture.kv_lora_rank", 16},
                           {"architecture.qk_nope_head_dim", 8},
                           {"architecture.qk_rope_head_dim", 8},
                           {"architecture.v_head_dim", 8}};
const FlatConfig no_latent = {{"architecture.n_kv_heads", 2}, {"architecture.kv_lora_rank", 0}};
const FlatConfig tied = {{"architecture.tied_embeddings", "on"}};
const FlatConfig untied = {{"architecture.tied_embeddings", "off"}};
const FlatConfig query_norm = {{"architecture.qk_norm", "on"}};
const FlatConfig no_query_norm = {{"architecture.qk_norm", "off"}};

FlatConfig backend(const char* name) {
  return {{"attention.backend", name}};
}

FlatConfig weights(const char* file) {
  return {{"weights.path", std::string("{case_dir}/") + file}};
}

std::vector<Feature> layouts() {
  return {
      {"replicas",
       "several copies of the model",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.dp_replicate"); },
       {{{"parallel.dp_replicate", 2}}}},
      {"fsdp",
       "parameters sharded over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.dp_shard"); },
       {sharded}},
      {"tensor",
       "matrices divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.tp"); },
       {tensor}},
      {"sequence_parallel",
       "the residual stream divided along the sequence",
       execution,
       [](const FlatConfig& c) { return flag_of(c, "parallel.sequence_parallel"); },
       {plus(tensor, {{"parallel.sequence_parallel", true}})}},
      {"loss_parallel",
       "a loss of logits divided along the vocabulary",
       execution,
       [](const FlatConfig& c) { return flag_of(c, "parallel.loss_parallel"); },
       {plus(tensor, {{"parallel.loss_parallel", true}})}},
      {"context",
       "sequences divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.cp"); },
       {context, {{"parallel.cp", 2}, {"attention.backend", "dense"}}}},
      {"pipeline",
       "blocks divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.pp"); },
       {pipeline}},
      {"expert_parallel",
       "experts divided over ranks",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "parallel.ep"); },
       {plus(plus(experts, sharded), {{"parallel.ep", 2}}),
        plus(plus(experts, context), {{"parallel.ep", 2}, {"parallel.replicate_with", "hsdp"}})}},
  };
}

std::vector<Feature> ways_to_compute() {
  return {
      {"micro_batches",
       "several forward and backward passes per update",
       execution,
       [](const FlatConfig& c) { return is_divided(c, "data.micro_batches"); },
       {micro_batches}},
      {"sync_each",
       "gradients of every micro-batch reduced",
       execution,
       [](const FlatConfig& c) {
         return text_of(c, "parallel.sync") == "each" && is_divided(c, "data.micro_batches");
       },
       {plus(micro_batches, {{"parallel.sync", "each"}}),
        {{"parallel.sync", "each"}, {"data.micro_batches", 4}}}},
      {"recompute",
       "activations computed again in backward",
       execution,
       [](const FlatConfig& c) { return is_set(c, "parallel.activation_checkpointing", "none"); },
       {{{"parallel.activation_checkpointing", "full"}}}},
      {"chunked_loss",
       "output projection and loss in chunks of tokens",
       execution,
       [](const FlatConfig& c) { return integer_of(c, "loss.chunks", 0) > 0; },
       {{{"loss.chunks", 2}}}},
      {"gradient_scaling",
       "gradients divided by the tokens at the end",
       execution,
       [](const FlatConfig& c) { return text_of(c, "loss.normalization") == "gradient_scaling"; },
       {{{"loss.normalization", "gradient_scaling"}}}},
      {"streamed",
       "micro-batches fetched one at a time",
       execution,
       [](const FlatConfig& c) { return text_of(c, "loss.accumulation") == "streamed"; },
       {plus(micro_batches,
             {{"loss.accumulation", "streamed"}, {"loss.normalization", "gradient_scaling"}})}},
      {"halves",
       "an update called from outside in two halves",
       execution,
       [](const FlatConfig& c) { return is_set(c, "train.update", "step"); },
       {{{"train.update", "halves"}}}},
      {"plain_optimizer",
       "the optimizer tensor by tensor",
       execution,
       [](const FlatConfig& c) { return text_of(c, "optimizer.implementation") == "plain"; },
       {{{"optimizer.implementation", "plain"}}}},
      {"batch_invariant",
       "a token's bits depend on its own sequence alone",
       execution,
       [](const FlatConfig& c) { return flag_of(c, "train.batch_invariant"); },
       {{{"train.batch_invariant", true}, {"attention.backend", "tiled"}}}},
      {"restart",
       "a second process resumes from a checkpoint",
       execution,
       [](const FlatConfig& c) { return integer_of(c, "checkpoint.restart_after", 0) > 0; },
       {restart}},
      {"resume_elsewhere",
       "the process that resumes has another layout",
       execution,
       resumes_elsewhere,
       {plus(restart, plus(sharded, {{"checkpoint.resume_dp_shard", 1}, {"checkpoint.resume_tp", 2}})),
        plus(restart, {{"parallel.tp", 2}, {"checkpoint.resume_tp", 1}, {"checkpoint.resume_dp_shard", 2}}),
        plus(restart, {{"parallel.dp_replicate", 2},
                       {"checkpoint.resume_dp_replicate", 1},
                       {"checkpoint.resume_dp_shard", 2}}),
        plus(plus(restart, context), {{"checkpoint.resume_cp", 1}, {"checkpoint.resume_dp_replicate", 2}}),
        plus(plus(restart, pipeline), {{"checkpoint.resume_pp", 1}, {"checkpoint.resume_dp_shard", 2}})}},
  };
}

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
       {packed, padded}},
      {"document_mask",
       "attention that stays within documents",
       mathematics,
       [](const FlatConfig& c) { return has_entries(c, "attention.documents"); },
       {plus(plus(packed, by_position), backend("flex")), plus(plus(packed, by_position), backend("tiled")),
        plus(plus(padded, by_position), backend("flex"))}},
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
       {experts}},
      {"latent",
       "multi-head latent attention",
       mathematics,
       [](const FlatConfig& c) { return integer_of(c, "architecture.kv_lora_rank", 0) > 0; },
       {latent}},
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
        plus(weights("latent_experts_tied.safetensors"), plus(plus(experts, latent), tied)),
        plus(weights("qk_norm.safetensors"), plus(plus(no_experts, no_latent), plus(untied, query_norm)))}},
      {"rollouts",
       "a policy that learns from its own completions",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "data.source") == "rollouts"; },
       {{{"data.source", "rollouts"}, {"data.seq_len", 8}, {"data.global_batch", 16}, {"lr.base", 2e-3}}}},
  };
}

std::vector<Feature> narrow_types_and_actors() {
  return {
      {"bf16",
       "parameters gathered in bfloat16",
       precision,
       [](const FlatConfig& c) { return is_set(c, "parallel.mixed_precision", "none"); },
       {{{"parallel.mixed_precision", "bf16"}, {"parallel.replicate_with", "hsdp"}},
        plus(sharded, {{"parallel.mixed_precision", "bf16"}})}},
      {"autocast",
       "matrix products in bfloat16 by autocast",
       precision,
       [](const FlatConfig& c) { return flag_of(c, "train.autocast"); },
       {{{"train.autocast", true}}}},
      {"float8",
       "matrix products in float8",
       precision,
       [](const FlatConfig& c) { return is_set(c, "train.float8", "none"); },
       {{{"train.float8", "each_forward"}}}},
      {"clipping",
       "gradients scaled down to a norm",
       acting,
       find_act("clipping").may_act,
       {{{"clip.max_norm", 0.2}}, {{"clip.max_norm", 0.02}}}},
      {"ignored_labels",
       "labels that do not count",
       acting,
       find_act("ignored_labels").may_act,
       {{{"data.ignore_fraction", 0.3}}, padded}},
  };
}

}  // namespace

const std::vector<Feature>& features() {
  static const std::vector<Feature> table = [] {
    std::vector<Feature> all;
    for (std::vector<Feature>& some :
         std::vector{layouts(), ways_to_compute(), kinds_of_training(), narrow_types_and_actors()})
      std::move(some.begin(), some.end(), std::back_inserter(all));
    return all;
  }();
  return table;
}

size_t find_feature(std::string_view name) {
  std::vector<std::string> known;
  for (size_t i = 0; i < features().size(); ++i) {
    if (features()[i].name == name)
      return i;
    known.emplace_back(features()[i].name);
  }
  throw UserError(fmt::format("unknown feature {}{}", quoted(name), suggestion(name, known)));
}

const FlatConfig& small_run() {
  static const FlatConfig settings = {
      {"model", "llama3.debug"},
      {"steps", 8},
      {"architecture.dim", 32},
      {"architecture.n_layers", 2},
      {"architecture.n_heads", 4},
      {"architecture.n_kv_heads", 2},
      {"architecture.vocab_size", 128},
      {"architecture.ffn_hidden", 64},
      {"data.seq_len", 32},
      {"data.global_batch", 8},
      {"lr.base", 1e-2},
  };
  return settings;
}

std::optional<FlatConfig> join(const FlatConfig& one, const FlatConfig& other) {
  FlatConfig both = one;
  for (const auto& [key, value] : other)
    if (!both.emplace(key, value).second && both.at(key) != value && key != "lr.base")
      return std::nullopt;
  return both;
}

FlatConfig with_settings(const FlatConfig& settings) {
  FlatConfig all = small_run();
  for (const auto& [key, value] : settings)
    all[key] = value;
  return all;
}

}  // namespace parity::coverage
