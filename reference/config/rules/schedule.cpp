// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/config/rules/rules.hpp"

namespace parity::reference {
namespace {

using enum ScheduleName;

/// The families that use a key. All others accept only its default.
struct Use {
  std::string key;
  std::vector<ScheduleName> families;
};

const std::vector<Use>& uses() {
  static const std::vector<Use> table = {
      {"lr.total_steps", {titan, hugging_face_linear, hugging_face_cosine, verl_cosine, megatron, deepspeed}},
      {"lr.warmup", {deepspeed}},
      {"lr.init_factor", {verl_cosine, megatron, deepspeed}},
      {"lr.decay", {titan, megatron, deepspeed}},
      {"lr.decay_ratio", {titan}},
      {"lr.min_factor", {titan, verl_cosine, megatron, deepspeed}},
      {"lr.num_cycles", {hugging_face_cosine, verl_cosine}},
      {"lr.wsd_steps", {megatron}},
      {"lr.wsd_decay", {megatron}},
      {"lr.first_index", {warmup_linear}},
      {"optimizer.weight_decay_ramp", {megatron}},
      {"optimizer.weight_decay_start", {megatron}},
  };
  return table;
}

/// lr.schedule = "a" or "b"
std::string families_text(const std::vector<ScheduleName>& families) {
  std::string text = "set lr.schedule = ";
  for (size_t i = 0; i < families.size(); ++i)
    text += (i == 0 ? "\"" : " or \"") + std::string(name_of(families[i])) + "\"";
  return text;
}

bool knows(ScheduleName family, DecayShape decay) {
  switch (decay) {
    case DecayShape::linear:
    case DecayShape::cosine:
      return true;
    case DecayShape::sqrt:
      return family == titan;
    case DecayShape::constant:
      return family == megatron || family == deepspeed;
    case DecayShape::inverse_square_root:
    case DecayShape::wsd:
      return family == megatron;
  }
  return false;
}

/// "choose linear, sqrt, cosine"
std::string decays_text(ScheduleName family) {
  std::string text;
  for (const std::string& name : names_of<DecayShape>())
    if (knows(family, parse_enum<DecayShape>(name)))
      text += (text.empty() ? "choose " : ", ") + name;
  return text;
}

void check_ranges(const RunConfig& config, const Rules& rules) {
  const LrConfig& lr = config.lr;
  rules.rule(lr.base >= 0 && std::isfinite(lr.base), "lr.base", "a learning rate is finite and not negative",
             "the debug model's is 8e-4");
  rules.at_least(lr.warmup_steps, 0, "lr.warmup_steps");
  rules.at_least(lr.total_steps, 0, "lr.total_steps");
  rules.at_least(lr.wsd_steps, 0, "lr.wsd_steps");
  rules.rule(lr.decay_ratio == -1 || (lr.decay_ratio >= 0 && lr.decay_ratio <= 1), "lr.decay_ratio",
             "it is a share of the curve", "give 0 to 1, or -1 for everything after warmup");
  rules.within(lr.min_factor, 0, 1, "lr.min_factor");
  rules.within(lr.init_factor, 0, 1, "lr.init_factor");
  rules.rule(lr.num_cycles > 0 && std::isfinite(lr.num_cycles), "lr.num_cycles",
             "a number of waves is positive and finite", "0.5 falls once from top to bottom");
}

void check_uses(const RunConfig& config, const Rules& rules) {
  const LrConfig& lr = config.lr;
  const std::string family(name_of(lr.schedule));
  for (const auto& [key, families] : uses())
    rules.used_or_default(std::find(families.begin(), families.end(), lr.schedule) != families.end(), key,
                          family, families_text(families));
  rules.rule(knows(lr.schedule, lr.decay), "lr.decay", family + " has no such decay",
             decays_text(lr.schedule));
  const std::string shape = family + " with decay " + std::string(name_of(lr.decay));
  const bool constant = lr.decay == DecayShape::constant;
  const bool wsd = lr.decay == DecayShape::wsd;
  const std::string other = "choose another lr.decay";
  rules.used_or_default(lr.schedule != megatron || !constant, "lr.min_factor", shape, other);
  rules.used_or_default(lr.schedule != deepspeed || !constant, "lr.total_steps", shape, other);
  rules.used_or_default(lr.schedule != deepspeed || lr.decay == DecayShape::cosine, "lr.init_factor",
                        shape + " starts at lr.min_factor and", "set lr.decay = \"cosine\"");
  rules.used_or_default(wsd, "lr.wsd_steps", shape, "set lr.decay = \"wsd\"");
  rules.used_or_default(wsd, "lr.wsd_decay", shape, "set lr.decay = \"wsd\"");
  rules.used_or_default(lr.warmup_steps > 0, "lr.init_factor", "a schedule without warmup",
                        "give lr.warmup_steps");
}

void check_megatron(const RunConfig& config, const Rules& rules) {
  const LrConfig& lr = config.lr;
  const OptimizerConfig& optimizer = config.optimizer;
  const int64_t length = lr.total_steps > 0 ? lr.total_steps : config.steps;
  rules.rule(lr.warmup_steps < length, "lr.warmup_steps",
             "Megatron demands a warmup shorter than the curve of " + std::to_string(length) + " steps",
             "shorten it or raise lr.total_steps");
  rules.rule(lr.decay != DecayShape::wsd || (lr.wsd_steps >= 1 && lr.wsd_steps <= length), "lr.wsd_steps",
             "the final decay must fit into the curve of " + std::to_string(length) + " steps",
             "give 1 to " + std::to_string(length));
  const bool ramp = optimizer.weight_decay_ramp != WeightDecayRamp::constant;
  rules.used_or_default(ramp, "optimizer.weight_decay_start", "a constant weight decay",
                        "set optimizer.weight_decay_ramp");
  rules.rule(optimizer.weight_decay_start >= 0, "optimizer.weight_decay_start",
             "a negative decay grows the weights", "give 0 or more");
  rules.rule(!ramp || optimizer.weight_decay >= optimizer.weight_decay_start, "optimizer.weight_decay_start",
             "a ramp rises, and it ends at optimizer.weight_decay = " + Json(optimizer.weight_decay).dump(),
             "start lower");
}

}  // namespace

void check_schedule(const RunConfig& config, const Rules& rules) {
  check_ranges(config, rules);
  check_uses(config, rules);
  if (config.lr.schedule == megatron)
    check_megatron(config, rules);
  rules.rule(config.lr.schedule != deepspeed || config.lr.warmup_steps >= 1, "lr.warmup_steps",
             "DeepSpeed refuses a schedule without warmup", "give 1 or more");
}

}  // namespace parity::reference
