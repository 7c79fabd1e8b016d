// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/table/settings.hpp"

#include "harness/base/json/json.hpp"

namespace parity::coverage {

using suite::FlatConfig;

bool flag_of(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_boolean() && found->second.get<bool>();
}

bool has_entries(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_array() && !found->second.empty();
}

bool is_set(const FlatConfig& config, const std::string& key, std::string_view unset) {
  const std::string value = suite::text_of(config, key);
  return !value.empty() && value != unset;
}

bool is_positive(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_number() && found->second.get<double>() > 0;
}

bool is_divided(const FlatConfig& config, const std::string& key) {
  return suite::integer_of(config, key, 1) > 1;
}

FlatConfig plus(FlatConfig one, const FlatConfig& other) {
  one.insert(other.begin(), other.end());
  return one;
}

FlatConfig tensor_ranks() {
  return {{"parallel.tp", 2}};
}

FlatConfig sharded() {
  return {{"parallel.dp_shard", 2}, {"parallel.replicate_with", "all_reduce"}};
}

FlatConfig context_ranks() {
  return {{"parallel.cp", 2}, {"attention.backend", "flex"}};
}

FlatConfig pipeline_stages() {
  return {{"parallel.pp", 2}, {"parallel.pp_microbatches", 2}};
}

FlatConfig micro_batches() {
  return {{"data.micro_batches", 2}};
}

FlatConfig restart() {
  return {{"checkpoint.restart_after", 4}};
}

FlatConfig packed() {
  return {
      {"data.packing", "concat_then_split"}, {"data.positions", "document"}, {"data.document_tokens", 12}};
}

FlatConfig packed_file() {
  return {{"data.packing", "concat_then_split"}, {"data.positions", "document"}};
}

FlatConfig padded() {
  return {{"data.packing", "first_fit"}, {"data.positions", "document"}, {"data.document_tokens", 12}};
}

FlatConfig experts() {
  return {{"moe.experts", 4}, {"moe.top_k", 2}, {"moe.hidden", 32}, {"moe.load_balance", "on"}};
}

FlatConfig latent() {
  return {{"architecture.n_kv_heads", 0},
          {"architecture.kv_lora_rank", 16},
          {"architecture.qk_nope_head_dim", 8},
          {"architecture.qk_rope_head_dim", 8},
          {"architecture.v_head_dim", 8}};
}

FlatConfig adapters(const std::vector<std::string>& targets) {
  return {{"lora.rank", 8}, {"lora.targets", targets}, {"lr.base", 5e-2}};
}

FlatConfig rollouts() {
  return {{"data.source", "rollouts"}, {"architecture.vocab_size", policy_tokens},
          {"rl.temperature", 4.0},     {"data.seq_len", 16},
          {"data.global_batch", 16},   {"lr.base", 2e-3}};
}

FlatConfig packed_rollouts() {
  return plus(rollouts(), {{"rl.packing", "masked"},
                           {"rl.completions", 32},
                           {"attention.documents", Json::array({"position_zero"})}});
}

FlatConfig backend(const char* name) {
  return {{"attention.backend", name}};
}

}  // namespace parity::coverage
