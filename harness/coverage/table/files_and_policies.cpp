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

/// Tokens below 97, which every vocabulary of a proposal has.
constexpr const char* lines = "{case_dir}/documents.jsonl";
constexpr const char* indexed = "{case_dir}/sequences.idx";

bool reads_files(const FlatConfig& config) {
  const std::string source = text_of(config, "data.source");
  return source == "tokens" || source == "text";
}

FlatConfig one_file(const char* path) {
  return {{"data.source", "tokens"}, {"data.path", path}};
}

FlatConfig two_files() {
  return {{"data.source", "tokens"},
          {"data.paths", Json::array({lines, indexed})},
          {"data.weights", Json::array({0.7, 0.3})}};
}

FlatConfig shuffled(FlatConfig files) {
  files["data.shuffle"] = true;
  return files;
}

/// A policy with one more setting.
FlatConfig policy(const FlatConfig& settings) {
  return plus(rollouts(), settings);
}

/// Returns whether the policy's loss is of whole completions, not of tokens.
bool has_loss_of_sequences(const FlatConfig& config) {
  const std::string loss = text_of(config, "rl.loss");
  return loss == "grpo_sequence" || loss == "gspo" || loss == "dpo";
}

bool keeps_reference(const FlatConfig& config) {
  return is_positive(config, "rl.kl_coef") || text_of(config, "rl.reference") == "always" ||
         text_of(config, "rl.loss") == "dpo";
}

}  // namespace

std::vector<Feature> files_of_tokens() {
  return {
      {"files",
       "rows read from a file",
       mathematics,
       reads_files,
       {one_file(lines), one_file(indexed), two_files()}},
      {"blend",
       "rows of several files by weights",
       mathematics,
       [](const FlatConfig& c) { return has_entries(c, "data.paths"); },
       {two_files()}},
      {"shuffle",
       "a new order of each file's rows in each pass",
       mathematics,
       [](const FlatConfig& c) { return flag_of(c, "data.shuffle"); },
       {shuffled(one_file(indexed)), shuffled(one_file(lines)), shuffled(two_files())}},
  };
}

std::vector<Feature> policies() {
  return {
      {"rollouts",
       "a policy that learns from its own completions",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "data.source") == "rollouts"; },
       {rollouts()}},
      {"sequence_loss",
       "a policy's loss of whole completions",
       mathematics,
       has_loss_of_sequences,
       {policy({{"rl.loss", "gspo"}}), policy({{"rl.loss", "grpo_sequence"}, {"rl.reference", "always"}})}},
      {"policy_divisor",
       "a policy's loss divided by completions or prompts",
       mathematics,
       [](const FlatConfig& c) { return is_set(c, "rl.normalization", "global"); },
       {policy({{"rl.normalization", "sequence_mean"}}), policy({{"rl.normalization", "prompt_mean"}})}},
      {"reference_policy",
       "the first policy kept as reference",
       mathematics,
       keeps_reference,
       {policy({{"rl.kl_coef", 0.1}})}},
      {"group_sizes",
       "prompts with different numbers of completions",
       mathematics,
       [](const FlatConfig& c) { return has_entries(c, "rl.group_sizes"); },
       {policy({{"rl.group_sizes", Json::array({3, 5})}, {"rl.advantage", "population_std"}})}},
      {"packed_rollouts",
       "several completions in a row, apart by a mask",
       mathematics,
       [](const FlatConfig& c) { return text_of(c, "rl.packing") == "masked"; },
       {plus(backend("flex"), packed_rollouts()), plus(backend("tiled"), packed_rollouts())}},
      {"staleness",
       "rollouts of an earlier version of the policy",
       mathematics,
       [](const FlatConfig& c) { return is_positive(c, "rl.staleness"); },
       {policy({{"rl.loop", "asynchronous"}, {"rl.staleness", 1}})}},
      {"correction",
       "weights of the trainer's over the generator's probabilities",
       mathematics,
       [](const FlatConfig& c) { return is_set(c, "rl.correction", "none"); },
       {policy({{"rl.correction", "truncate"}, {"rl.correction_cap", 1.1}}),
        policy({{"rl.correction", "mask"}, {"rl.correction_cap", 1.1}, {"rl.correction_floor", 0.9}})}},
      {"generator_ranks",
       "ranks that only generate",
       execution,
       [](const FlatConfig& c) { return is_positive(c, "rl.generator.ranks"); },
       {policy({{"rl.generator.ranks", 1}}), policy({{"rl.generator.ranks", 2}, {"rl.generator.tp", 2}})}},
  };
}

}  // namespace parity::coverage
