// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "harness/compare/text/wording.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {
namespace {

/// Adds the keys of two flat objects: rows for other values, and for what only one has.
void compare_keys(Finding& found, const std::map<std::string, Json>& first,
                  const std::map<std::string, Json>& second) {
  size_t same = 0;
  const auto text = [](const std::map<std::string, Json>& all, const std::string& key) {
    const auto value = all.find(key);
    return value == all.end() ? "not there" : plain_text(value->second);
  };
  std::map<std::string, Json> keys = first;
  keys.insert(second.begin(), second.end());
  for (const auto& [key, value] : keys) {
    const std::string a = text(first, key), b = text(second, key);
    if (a == b)
      ++same;
    else
      found.rows.push_back({key, a, b, ""});
  }
  if (same > 0)
    found.same.push_back(compare::count_text(same, "key"));
}

/// Returns what a run says of its machine and software, without what other topics compare.
std::map<std::string, Json> environment_of(const Recipe& recipe) {
  std::map<std::string, Json> facts;
  const Json& all = recipe.trace().provenance();
  if (!all.is_object())
    return facts;
  const std::set<std::string> elsewhere = {
      "recipe",    "warnings", "fingerprint", "mesh",     "reduction_buffers",
      "data_seed", "seed",     "device",      "imported", "compiled_modules"};
  for (const auto& [name, value] : all.items()) {
    if (elsewhere.contains(name))
      continue;
    if (!value.is_object()) {
      facts[name] = value;
      continue;
    }
    for (const auto& [key, member] : value.items())
      facts[name + "." + key] = member;
  }
  if (all.contains("fingerprint") && all.at("fingerprint").is_object())
    for (const auto& [name, value] : all.at("fingerprint").items())
      if (!elsewhere.contains(name) && name != "initial_weights")
        facts.emplace(name, value);
  return facts;
}

std::string fact(const Recipe& recipe, const char* name) {
  const Json& facts = recipe.trace().provenance();
  return facts.is_object() && facts.contains(name) ? plain_text(facts.at(name)) : "";
}

}  // namespace

Finding compare_layouts(const Recipe& first, const Recipe& second) {
  Finding found;
  const auto ranks = [](const Recipe& recipe) {
    return std::to_string(std::max(recipe.trace().ranks(), recipe.trace().joined_ranks()));
  };
  found.compare("ranks", ranks(first), ranks(second), "", {"parallel."});
  if (!fact(first, "mesh").empty() && !fact(second, "mesh").empty())
    found.compare("mesh", fact(first, "mesh"), fact(second, "mesh"), "", {"parallel."});
  if (!fact(first, "device").empty() && !fact(second, "device").empty())
    found.compare("device", fact(first, "device"), fact(second, "device"), "", {"device"});
  return found;
}

Finding compare_configs(const Recipe& first, const Recipe& second) {
  Finding found;
  const bool related = std::ranges::any_of(
      first.config(), [&](const auto& item) { return second.config().contains(item.first); });
  if (related)
    compare_keys(found, first.config(), second.config());
  else
    found.unknown.push_back(first.config().empty() || second.config().empty()
                                ? "config (record it: parity.record(..., config=cfg))"
                                : "config (the two have no key in common)");
  return found;
}

Finding compare_environments(const Recipe& first, const Recipe& second) {
  Finding found;
  compare_keys(found, environment_of(first), environment_of(second));
  return found;
}

}  // namespace parity::explain
