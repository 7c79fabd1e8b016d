// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {
namespace {

constexpr const char* every = "every parameter";

/// Returns the patterns of all groups, with the largest number of parameters of each.
std::map<std::string, int64_t> patterns_of(const std::vector<Group>& groups) {
  std::map<std::string, int64_t> counts;
  for (const Group& group : groups)
    for (const auto& [pattern, count] : group.parameters)
      counts[pattern] += count;
  return counts;
}

/// Returns a setting of the parameters of a pattern: "0.1", or "0.1 (3 of 4), 0 (1 of 4)" if they are in
/// groups with other values. "" if it is not known, or the pattern is in no group.
std::string setting_of(const std::vector<Group>& groups, const std::string& pattern,
                       const std::string& name) {
  std::map<std::string, int64_t> counts;
  int64_t all = 0;
  for (const Group& group : groups) {
    const auto members = group.parameters.find(pattern);
    const bool covers = group.parameters.empty() && groups.size() == 1;
    if (!covers && members == group.parameters.end())
      continue;
    const int64_t count = covers ? 1 : members->second;
    const auto value = group.settings.find(name);
    counts[value == group.settings.end() ? "" : value->second] += count;
    all += count;
  }
  if (counts.size() == 1)
    return counts.begin()->first;
  std::vector<std::string> items;
  for (const auto& [value, count] : counts)
    items.push_back(fmt::format("{} ({} of {})", value.empty() ? "unknown" : value, count, all));
  return fmt::format("{}", fmt::join(items, ", "));
}

/// Returns the patterns as text: at most four of them, and how many parameters they are.
std::string members_text(const std::vector<std::string>& patterns,
                         const std::map<std::string, int64_t>& counts) {
  if (counts.empty() || patterns.size() == counts.size())
    return every;
  int64_t all = 0;
  for (const std::string& pattern : patterns)
    all += counts.at(pattern);
  constexpr size_t most = 4;
  std::vector<std::string> shown(patterns.begin(),
                                 patterns.begin() + static_cast<ptrdiff_t>(std::min(most, patterns.size())));
  if (patterns.size() > most)
    shown.push_back(fmt::format("{} more", patterns.size() - most));
  return fmt::format("{} ({})", compare::list_text(shown),
                     compare::count_text(static_cast<size_t>(all), "parameter"));
}

/// Compares one setting of all parameters. Parameters with the same pair of values become one row.
void compare_setting(Finding& found, const std::vector<Group>& first, const std::vector<Group>& second,
                     const std::string& name) {
  const auto own = patterns_of(first), their = patterns_of(second);
  std::map<std::string, int64_t> counts = own;
  if (own.empty())
    counts = their;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> pairs;
  if (counts.empty())
    pairs[{setting_of(first, "", name), setting_of(second, "", name)}] = {every};
  for (const auto& [pattern, count] : counts)
    if (own.empty() || their.empty() || their.contains(pattern))
      pairs[{setting_of(first, pattern, name), setting_of(second, pattern, name)}].push_back(pattern);
  for (const auto& [values, patterns] : pairs)
    if (!values.first.empty() || !values.second.empty())
      found.compare(fmt::format("{} of {}", name, members_text(patterns, counts)), values.first,
                    values.second, fmt::format("the channel {}", name), {"optimizer." + name});
}

/// Reports parameters that only one run's optimizers hold.
void compare_members(Finding& found, const std::vector<Group>& first, const std::vector<Group>& second) {
  const auto own = patterns_of(first), their = patterns_of(second);
  if (own.empty() || their.empty())
    return;
  std::vector<std::string> missing, added;
  size_t shared = 0;
  for (const auto& [pattern, count] : own)
    their.contains(pattern) ? void(++shared) : missing.push_back(pattern);
  for (const auto& [pattern, count] : their)
    if (!own.contains(pattern))
      added.push_back(pattern);
  if (shared == 0)
    found.unknown.push_back("settings by parameter (no parameter has the same name in both)");
  else if (!missing.empty() || !added.empty())
    found.rows.push_back({"parameters that one optimizer holds",
                          missing.empty() ? "none" : compare::list_text(missing),
                          added.empty() ? "none" : compare::list_text(added), ""});
}

}  // namespace

Finding compare_optimizers(const Recipe& first, const Recipe& second) {
  Finding found;
  found.compare("optimizer", first.optimizer(), second.optimizer(), "by a recorder of this version",
                {"optimizer.name"});
  const std::vector<Group> a = first.groups(), b = second.groups();
  if (a.empty() || b.empty()) {
    found.unknown.push_back(
        "settings of the optimizer (record the channels weight_decay, beta1, beta2 and eps)");
    return found;
  }
  compare_members(found, a, b);
  std::set<std::string> names;
  for (const auto* groups : {&a, &b})
    for (const Group& group : *groups)
      for (const auto& [name, value] : group.settings)
        names.insert(name);
  for (const std::string& name : names)
    compare_setting(found, a, b, name);
  return found;
}

}  // namespace parity::explain
