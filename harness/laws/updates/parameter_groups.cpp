// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/updates/parameter_groups.hpp"

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

Json recipe_of(const RecordedRun& run) {
  const Json& facts = run.trace().provenance();
  return facts.is_object() ? facts.value("recipe", Json()) : Json();
}

/// Adds the counts of patterns in an object `{"layers.*.wq.weight": 32}`.
void add_counts(const Json& patterns, std::map<std::string, int64_t>& counts) {
  if (patterns.is_object())
    for (const auto& [pattern, count] : patterns.items())
      counts[pattern] += count.is_number_integer() ? count.get<int64_t>() : 0;
}

Json member(const Json& object, const char* key) {
  return object.is_object() ? object.value(key, Json()) : Json();
}

/// Returns the patterns of which the trace has more parameters than the recipe.
std::set<std::string> patterns_with_more(const RecordedRun& run, const Json& recipe) {
  std::map<std::string, int64_t> counted, seen;
  for (const Json& group : member(recipe, "groups"))
    add_counts(member(group, "parameters"), counted);
  add_counts(member(recipe, "without_optimizer"), counted);
  add_counts(member(member(recipe, "parameters"), "frozen"), counted);
  for (const std::string& name : run.all_names(trace::Phase::param))
    ++seen[starred(name)];
  std::set<std::string> more;
  for (const auto& [pattern, count] : seen)
    if (count > counted[pattern])
      more.insert(pattern);
  return more;
}

}  // namespace

ParameterGroups::ParameterGroups(const RecordedRun& run) {
  const Json recipe = recipe_of(run), groups = member(recipe, "groups"),
             classes = member(recipe, "optimizers");
  if (!groups.is_array())
    return;
  for (const Json& each : groups) {
    Group group;
    const Json number = member(each, "optimizer"), settings = member(each, "settings");
    if (classes.is_array() && number.is_number_unsigned() && number.get<size_t>() < classes.size() &&
        classes[number.get<size_t>()].is_string())
      group.optimizer = classes[number.get<size_t>()].get<std::string>();
    std::map<std::string, int64_t> counts;
    add_counts(member(each, "parameters"), counts);
    for (const auto& [pattern, count] : counts)
      group.patterns.insert(pattern);
    for (const Json& name : member(each, "names"))
      if (name.is_string()) {
        group.names.insert(name.get<std::string>());
        group.named_patterns.insert(starred(name.get<std::string>()));
      }
    group.maximize = member(settings, "maximize") == true;
    group.muon = muon_rules_of_settings(settings);
    group.dampening = settings.is_object() ? number_or(settings, "dampening", 0) : 0;
    groups_.push_back(std::move(group));
  }
  vague_ = patterns_with_more(run, recipe);
}

std::vector<size_t> ParameterGroups::groups_of(const std::string& name) const {
  const std::string pattern = starred(name);
  std::vector<size_t> found;
  for (size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].names.contains(name) ||
        (groups_[i].patterns.contains(pattern) && !groups_[i].named_patterns.contains(pattern) &&
         !vague_.contains(pattern)))
      found.push_back(i);
  return found;
}

std::vector<OptimizerNumbers> ParameterGroups::numbers(const RecordedRun& run, int64_t step) const {
  std::vector<OptimizerNumbers> groups;
  while (true) {
    const size_t group = groups.size();
    const std::string suffix = group == 0 ? "" : fmt::format(".{}", group);
    const auto lr = run.channel("lr" + suffix, step);
    if (!lr)
      break;
    const auto or_config = [&](const std::string& name,
                               std::initializer_list<std::string_view> keys) -> std::optional<double> {
      if (const auto recorded = run.channel(name + suffix, step))
        return recorded;
      // A recorder that has seen the groups leaves out what a group does not have.
      if (group > 0 && !groups_.empty() && run.has_channel(name))
        return std::nullopt;
      return run.setting(step, keys);
    };
    OptimizerNumbers numbers{.group = group, .lr = *lr};
    numbers.decay = or_config("weight_decay", {"weight_decay", "optimizer.weight_decay"}).value_or(0);
    numbers.beta1 = or_config("beta1", {"optimizer.beta1", "adam_beta1", "beta1"});
    numbers.beta2 = or_config("beta2", {"optimizer.beta2", "adam_beta2", "beta2"});
    numbers.eps = or_config("eps", {"optimizer.eps", "adam_epsilon", "adam_eps", "eps"});
    numbers.momentum = or_config("momentum", {"momentum", "optimizer.momentum"});
    numbers.muon_momentum = run.setting(step, {"muon_momentum", "optimizer.muon.momentum"});
    numbers.muon_lr = run.channel("muon_lr", step);
    numbers.muon = muon_rules_of_config(run);
    if (group < groups_.size()) {
      numbers.muon = groups_[group].muon;
      if (const auto eps = run.channel("eps" + suffix, step))
        numbers.muon.eps = eps;
      numbers.maximize = groups_[group].maximize;
      numbers.dampening = groups_[group].dampening;
    }
    groups.push_back(numbers);
  }
  return groups;
}

std::vector<OptimizerNumbers> ParameterGroups::candidates(
    const std::string& name, const std::vector<OptimizerNumbers>& numbers) const {
  // Groups that came or went since the first update leave no number of a group sure.
  const std::vector<size_t> groups =
      numbers.size() == groups_.size() ? groups_of(name) : std::vector<size_t>();
  std::vector<OptimizerNumbers> found;
  for (const size_t group : groups)
    found.push_back(numbers[group]);
  return found.empty() ? numbers : found;
}

std::string ParameterGroups::optimizer_of(const std::string& name) const {
  std::vector<size_t> groups = groups_of(name);
  if (groups.empty())  // the class is known if all groups have the same
    for (size_t i = 0; i < groups_.size(); ++i)
      groups.push_back(i);
  std::set<std::string> classes;
  for (const size_t group : groups)
    classes.insert(groups_[group].optimizer);
  return classes.size() == 1 ? *classes.begin() : "";
}

}  // namespace parity::laws
