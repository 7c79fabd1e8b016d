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

constexpr std::array<ChannelName, 33> table = {{
    {"loss", "loss"},
    {"train/loss", "loss"},
    {"train_loss", "loss"},
    {"lm loss", "loss"},
    {"loss_metrics/global_avg_loss", "loss"},
    {"Train/Samples/train_loss", "loss"},
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
    {"grad_norm", "grad_norm"},
    {"grad norm", "grad_norm"},
    {"train/grad_norm", "grad_norm"},
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

/// Parts of names that measure time, speed or memory.
constexpr std::array<std::string_view, 14> timing_parts = {
    "time_metrics", "elapsed", "per_second", "per_sec", "/sec", "throughput", "runtime",
    "mfu",          "tflops",  "time_ms",    "(ms)",    "(s)",  "memory/",    "iter_time"};

/// Names of step numbers. A logger's own counter, _step, counts calls and not updates: it comes last.
constexpr std::array<std::string_view, 12> step_names = {
    "step",      "global_step", "train/global_step", "trainer/global_step", "iteration", "iter",
    "iter_num",  "steps",       "iterations",        "Step",                "Iteration", "_step"};

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

Named name_channel(const std::string& name, const NameMap& map) {
  if (const auto found = map.find(name); found != map.end())
    return {found->second};
  for (const ChannelName& row : table)
    if (row.name == name)
      return {std::string(row.channel), row.kind};
  const bool timed = std::ranges::any_of(
      timing_parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
  return {name, timed ? timing : trace::ChannelKind::numeric};
}

}  // namespace parity::logs
