// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/explain/recipe.hpp"

#include <cmath>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/base/json/number.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::explain {
namespace {

/// Returns the leaves of an object by dotted keys. Lists are leaves.
void flatten(const Json& value, const std::string& key, std::map<std::string, Json>& all) {
  if (!value.is_object()) {
    all[key] = value;
    return;
  }
  for (const auto& [name, member] : value.items())
    flatten(member, key.empty() ? name : key + "." + name, all);
}

/// Names under which a channel or a config may have a setting.
struct SettingNames {
  const char* channel;
  std::vector<std::string> config;
};

const std::vector<SettingNames>& setting_names() {
  static const std::vector<SettingNames> names = {
      {"weight_decay", {"optimizer.weight_decay", "weight_decay"}},
      {"beta1", {"optimizer.beta1", "beta1", "adam_beta1"}},
      {"beta2", {"optimizer.beta2", "beta2", "adam_beta2"}},
      {"eps", {"optimizer.eps", "eps", "adam_epsilon"}},
      {"momentum", {"optimizer.momentum", "momentum"}},
  };
  return names;
}

}  // namespace

std::string plain_text(const Json& value) {
  if (value.is_string())
    return value.get<std::string>();
  return value.is_number_float() ? compare::number_text(value.get<double>()) : value.dump();
}

Recipe::Recipe(const trace::Trace& trace) : run_(trace), recorded_(Json::object()) {
  const Json& facts = trace.provenance();
  if (facts.is_object() && facts.contains("recipe") && facts.at("recipe").is_object())
    recorded_ = facts.at("recipe");
  if (run_.follows_config() && trace.config().is_object())
    flatten(trace.config(), "", config_);
  config_.erase("");
}

std::optional<int64_t> Recipe::first_step() const {
  return run_.steps().empty() ? std::nullopt : std::optional(run_.steps().front());
}

std::string Recipe::optimizer() const {
  if (recorded_.contains("optimizers") && recorded_.at("optimizers").is_array()) {
    std::vector<std::string> names;
    for (const Json& name : recorded_.at("optimizers"))
      names.push_back(plain_text(name));
    return fmt::format("{}", fmt::join(names, ", "));
  }
  const std::string name = run_.config_text("optimizer.name");
  return name.empty() ? run_.config_text("optimizer") : name;
}

std::map<std::string, std::string> Recipe::settings_of(const std::string& suffix) const {
  std::map<std::string, std::string> found;
  const auto step = first_step();
  if (!step)
    return found;
  for (const SettingNames& names : setting_names()) {
    std::optional<double> value = run_.channel(names.channel + suffix, *step);
    for (const std::string& key : names.config)
      if (!value && suffix.empty())
        value = run_.config_number(key);
    if (value)
      found[names.channel] = compare::number_text(*value);
  }
  return found;
}

std::vector<Group> Recipe::groups() const {
  std::vector<Group> groups;
  if (!recorded_.contains("groups") || !recorded_.at("groups").is_array()) {
    Group all{{}, "", settings_of("")};
    return all.settings.empty() ? groups : std::vector{all};
  }
  for (const Json& item : recorded_.at("groups")) {
    Group group;
    group.suffix = groups.empty() ? "" : fmt::format(".{}", groups.size());
    group.settings = settings_of(group.suffix);
    if (item.is_object() && item.contains("parameters") && item.at("parameters").is_object())
      for (const auto& [pattern, count] : item.at("parameters").items())
        group.parameters[pattern] = count.is_number_integer() ? count.get<int64_t>() : 1;
    if (item.is_object() && item.contains("settings") && item.at("settings").is_object())
      for (const auto& [name, value] : item.at("settings").items())
        group.settings[name] = plain_text(value);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::optional<compare::Series> Recipe::channel(const std::string& name) const {
  const auto found = trace().channels().find(name);
  if (found == trace().channels().end() || run_.steps().empty())
    return std::nullopt;
  return compare::series_of(found->second, run_.steps(), run_.steps());
}

std::optional<double> Recipe::max_norm() const {
  if (recorded_.contains("clip") && recorded_.at("clip").is_object() &&
      recorded_.at("clip").contains("max_norm"))
    if (const double norm = number_of(recorded_.at("clip").at("max_norm")); !std::isnan(norm))
      return norm;
  const auto step = first_step();
  return step ? run_.max_norm(*step) : std::nullopt;
}

std::string Recipe::micro_batches() const {
  if (recorded_.contains("micro_batches"))
    return plain_text(recorded_.at("micro_batches"));
  for (const char* key : {"data.micro_batches", "gradient_accumulation_steps", "grad_accumulation_steps"})
    if (const std::string text = run_.config_text(key); !text.empty())
      return text;
  return "";
}

}  // namespace parity::explain
