// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/channel_names.hpp"

#include <algorithm>
#include <array>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::logs {
namespace {

constexpr auto timing = trace::ChannelKind::timing;

constexpr std::array<ChannelName, 36> table = {{
    {"loss", "loss"},
    {"train/loss", "loss"},
    {"train_loss", "loss"},
    {"lm loss", "loss"},
    {"loss_metrics/global_avg_loss", "loss"},
    {"Train/Samples/train_loss", "loss"},
    {"actor/pg_loss", "loss"},  // verl
    {"eval_loss", "eval_loss"},
    {"eval/loss", "eval_loss"},
    {"val/loss", "eval_loss"},
    {"val_loss", "eval_loss"},
    {"validation_metrics/loss", "eval_loss"},
    {"lr", "lr"},
    {"learning_rate", "lr"},
    {"learning rate", "lr"},
    {"train/lr", "lr"},
    {"train/learning_rate", "lr"},
    {"Train/Samples/lr", "lr"},
    {"actor/lr", "lr"},
    {"grad_norm", "grad_norm"},
    {"grad norm", "grad_norm"},
    {"train/grad_norm", "grad_norm"},
    {"actor/grad_norm", "grad_norm"},
    {"tokens", "tokens"},
    {"n_tokens_seen", "tokens"},
    {"num_input_tokens_seen", "tokens"},
    {"train/num_input_tokens_seen", "tokens"},
    {"wall time", "wall_time", timing},
    {"Wall time", "wall_time", timing},
    {"wall_time", "wall_time", timing},
    {"_timestamp", "wall_time", timing},
    {"timestamp", "wall_time", timing},
    {"_runtime", "run_time", timing},
    {"tps", "tokens_per_second", timing},
    {"throughput(tps)", "tokens_per_second", timing},
    {"tokens_per_second", "tokens_per_second", timing},
}};

/// Words of names that measure time, speed or memory. A name with the word loss measures none of them.
constexpr auto clock_words = std::to_array<std::string_view>(
    {"time",   "timer",     "timers",     "timing", "elapsed", "duration", "latency", "runtime",
     "sec",    "secs",      "seconds",    "ms",     "minutes", "hours",    "clock",   "walltime",
     "tps",    "timestamp", "throughput", "speed",  "mfu",     "hfu",      "flops",   "tflop",
     "tflops", "gflops",    "memory",     "mem",    "vram",    "gib",      "mib",     "utilization"});

/// Names of step numbers. A logger's own counter, _step, counts calls and not updates: it comes last.
constexpr std::array<std::string_view, 12> step_names = {
    "step",       "global_step", "train/global_step", "trainer/global_step",
    "iteration",  "iter",        "iter_num",          "steps",
    "iterations", "Step",        "Iteration",         "_step"};

/// Returns the words of a name in small letters: "Train/tokPerSec (ms)" has train, tok, per, sec and ms.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_small = false;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    const bool letter = capital || (c >= 'a' && c <= 'z');
    if ((!letter || (capital && was_small)) && !words.back().empty())
      words.emplace_back();
    if (letter)
      words.back() += static_cast<char>(capital ? c - 'A' + 'a' : c);
    was_small = letter && !capital;
  }
  if (words.size() > 1 && words.back().empty())
    words.pop_back();
  return words;
}

bool measures_time(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const bool rate = words.back() == "s" || words.back() == "second";  // tok/s, steps_per_second
  return !has("loss") && ((rate && words.size() > 1) || std::ranges::any_of(clock_words, has));
}

}  // namespace

std::span<const ChannelName> common_names() {
  return table;
}

size_t name_rank(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(table, name, &ChannelName::name) - table.begin());
}

std::optional<size_t> step_rank(const std::string& name, const NameMap& map) {
  if (const auto found = map.find(name); found != map.end())
    return found->second == "step" ? std::optional<size_t>(0) : std::nullopt;
  const auto* found = std::ranges::find(step_names, name);
  return found == step_names.end() ? std::nullopt
                                   : std::optional(static_cast<size_t>(found - step_names.begin()) + 1);
}

NameMap parse_map(const std::vector<std::string>& words) {
  NameMap map;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
      throw UserError("cannot use --map " + parity::quoted(word) +
                      " (it needs two names); write --map loss=train/my_loss");
    if (!map.emplace(word.substr(equals + 1), word.substr(0, equals)).second)
      throw UserError("cannot use --map " + parity::quoted(word) +
                      " (that name of the log is mapped twice); map it once");
  }
  return map;
}

bool is_training_result(std::string_view channel) {
  constexpr std::array<std::string_view, 3> results = {"loss", "eval_loss", "grad_norm"};
  return std::ranges::find(results, channel) != results.end();
}

bool needs_numbers(const std::string& name, const NameMap& map) {
  const bool known = map.contains(name) || name_rank(name) < table.size();
  return known && !step_rank(name, map) && name_channel(name, map).kind != timing;
}

Named name_channel(const std::string& name, const NameMap& map) {
  if (const auto found = map.find(name); found != map.end())
    return {found->second};
  for (const ChannelName& row : table)
    if (row.name == name)
      return {std::string(row.channel), row.kind};
  return {name, measures_time(name) ? timing : trace::ChannelKind::numeric};
}

}  // namespace parity::logs
