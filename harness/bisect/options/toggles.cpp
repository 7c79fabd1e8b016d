// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/toggles.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::bisect {
namespace {

std::string describe_value(const std::string& key, const std::optional<Json>& value) {
  return value ? key + " = " + escape_to_line(value->dump(), 80) : "without " + key;
}

std::optional<Json> value_of(const suite::FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found == config.end() ? std::nullopt : std::optional<Json>(found->second);
}

bool continues_a_key(const std::string& text, size_t at) {
  const auto is_name = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  return is_name(at) || (at < text.size() && text[at] == '.' && is_name(at + 1));
}

/// Returns the position of a key as a whole word in a text; npos if it is not there.
size_t find_key(const std::string& text, const std::string& key) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const bool begins = at == 0 || (!continues_a_key(text, at - 1) && text[at - 1] != '.');
    if (begins && !continues_a_key(text, at + key.size()))
      return at;
  }
  return std::string::npos;
}

bool includes(const Toggles& all, const Toggles& part) {
  return std::ranges::includes(all, part);
}

}  // namespace

std::string OptionToggle::describe_bad() const {
  return describe_value(key, bad);
}

Json OptionToggle::to_json() const {
  return {{"key", key}, {"good", good.value_or(Json())}, {"bad", bad.value_or(Json())}};
}

std::vector<OptionToggle> toggles_between(const suite::FlatConfig& good, const suite::FlatConfig& bad) {
  std::set<std::string> keys;
  for (const suite::FlatConfig* side : {&good, &bad})
    for (const auto& [key, value] : *side)
      keys.insert(key);
  std::vector<OptionToggle> toggles;
  for (const std::string& key : keys)
    if (OptionToggle toggle{key, value_of(good, key), value_of(bad, key)}; toggle.good != toggle.bad)
      toggles.push_back(std::move(toggle));
  return toggles;
}

std::vector<size_t> toggles_named_in(const std::string& text, const std::vector<OptionToggle>& toggles) {
  std::map<size_t, size_t> by_place;
  for (size_t i = 0; i < toggles.size(); ++i)
    if (const size_t at = find_key(text, toggles[i].key); at != std::string::npos)
      by_place[at] = i;
  std::vector<size_t> named;
  for (const auto& [place, toggle] : by_place)
    named.push_back(toggle);
  return named;
}

Toggles without(const Toggles& all, const Toggles& part) {
  Toggles rest;
  std::ranges::set_difference(all, part, std::inserter(rest, rest.end()));
  return rest;
}

Toggles closed_under(const std::vector<OptionNeed>& needs, Toggles on) {
  for (size_t before = 0; before != on.size();) {
    before = on.size();
    for (const OptionNeed& need : needs)
      if (includes(on, need.who))
        on.insert(need.what);
  }
  return on;
}

std::optional<OptionNeed> need_from(const std::string& refusal, const std::vector<OptionToggle>& toggles,
                                    const Toggles& on, const Toggles& free) {
  OptionNeed need;
  std::optional<size_t> lacking;
  for (const size_t i : toggles_named_in(refusal, toggles))
    if (on.contains(i))
      need.who.insert(i);
    else if (free.contains(i) && !lacking)
      lacking = i;
  if (!lacking)
    return std::nullopt;
  if (need.who.empty())
    need.who = on;
  need.what = *lacking;
  return need;
}

}  // namespace parity::bisect
