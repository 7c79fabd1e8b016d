// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/match/name_rules.hpp"

#include <algorithm>
#include <string_view>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {
namespace {

/// Matches a name with a pattern and collects what each "*" stands for, as short as possible.
bool match(std::string_view pattern, std::string_view name, std::vector<std::string>& parts) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == name;
  if (!name.starts_with(pattern.substr(0, star)))
    return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  const std::string_view next = pattern.substr(0, pattern.find('*'));
  if (next.size() == pattern.size()) {  // the last star
    if (name.size() < next.size() || !name.ends_with(next))
      return false;
    parts.emplace_back(name.substr(0, name.size() - next.size()));
    return true;
  }
  const size_t at = name.find(next);
  if (at == std::string_view::npos)
    return false;
  parts.emplace_back(name.substr(0, at));
  return match(pattern, name.substr(at), parts);
}

/// Returns a pattern with a part in place of each "*".
std::string insert_parts(const std::string& pattern, const std::vector<std::string>& parts) {
  std::string result;
  size_t part = 0;
  for (const char c : pattern)
    result += c == '*' ? parts[part++] : std::string(1, c);
  return result;
}

}  // namespace

NameRules parse_name_rules(const std::vector<std::string>& words) {
  NameRules rules;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::string ours = word.substr(0, equals);
    const std::string theirs = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (ours.empty() || theirs.empty())
      throw UserError("cannot use --map " + parity::quoted(word) +
                      " (it needs two names); write OURS=THEIRS, such as 'layers.*.wq=blocks.*.q'");
    if (std::count(ours.begin(), ours.end(), '*') != std::count(theirs.begin(), theirs.end(), '*'))
      throw UserError("cannot use --map " + parity::quoted(word) +
                      " (its names have different numbers of *); write as many on both sides");
    rules.emplace_back(ours, theirs);
  }
  return rules;
}

std::optional<std::string> rename(const std::string& name, const NameRules& rules) {
  const size_t module = std::min(name.rfind('.'), name.size());
  for (const auto& [ours, theirs] : rules)
    for (const size_t length : {name.size(), module})
      if (std::vector<std::string> parts; match(theirs, std::string_view(name).substr(0, length), parts))
        return insert_parts(ours, parts) + name.substr(length);
  return {};
}

}  // namespace parity::checkpoints
