// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/facts.hpp"

#include <fmt/format.h>

#include "harness/golden/environment.hpp"

namespace parity::bisect {
namespace {

/// Returns the facts that have a value.
Json nested(const Json& facts) {
  suite::FlatConfig present;
  for (const auto& [key, value] : facts.items())
    if (!value.is_null())
      present[key] = value;
  return suite::nest(present);
}

/// Adds the keys that `before` has and whose value is another after, or missing.
void add_changed_keys(GoldenFacts& facts, const suite::FlatConfig& before, const suite::FlatConfig& after) {
  for (const auto& [key, value] : before) {
    const auto found = after.find(key);
    if (found != after.end() && found->second == value)
      continue;
    facts.stored[key] = value;
    facts.now[key] = found == after.end() ? Json() : found->second;
  }
}

void add_new_keys(GoldenFacts& facts, const suite::FlatConfig& before, const suite::FlatConfig& after,
                  const suite::FlatConfig& defaults) {
  for (const auto& [key, value] : after) {
    if (before.contains(key))
      continue;
    const auto usual = defaults.find(key);
    if (usual == defaults.end()) {
      facts.unknown.push_back(fmt::format("{} ({})", key, value.dump()));
    } else if (usual->second != value) {
      facts.stored[key] = nullptr;
      facts.now[key] = value;
    }
  }
}

void add_words(GoldenFacts& facts) {
  facts.words = golden::json_difference_text(nested(facts.stored), nested(facts.now));
}

}  // namespace

GoldenFacts facts_between(const Json& stored, const Json& now) {
  GoldenFacts facts;
  add_changed_keys(facts, suite::flatten(stored), suite::flatten(now));
  add_words(facts);
  return facts;
}

GoldenFacts config_facts(const Json& stored, const Json& now, const suite::FlatConfig& defaults) {
  GoldenFacts facts;
  const suite::FlatConfig before = suite::flatten(stored), after = suite::flatten(now);
  add_changed_keys(facts, before, after);
  add_new_keys(facts, before, after, defaults);
  add_words(facts);
  return facts;
}

}  // namespace parity::bisect
