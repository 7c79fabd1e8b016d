// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/run/tensor_groups.hpp"

#include <algorithm>
#include <cctype>

namespace parity::laws {
namespace {

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string starred(std::string_view name) {
  std::string result;
  while (true) {
    const size_t dot = name.find('.');
    const std::string_view word = name.substr(0, dot);
    result += is_number(word) ? "*" : std::string(word);
    if (dot == std::string_view::npos)
      return result;
    result += '.';
    name = name.substr(dot + 1);
  }
}

std::map<std::string, std::set<std::string>> families(const std::vector<std::string>& names) {
  std::map<std::string, std::set<std::string>> groups;
  for (const std::string& name : names) {
    groups[starred(name)].insert(name);
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      groups[name.substr(0, dot + 1) + "*"].insert(name);
  }
  std::erase_if(groups, [&](const auto& group) {
    return group.second.size() < 2 || group.second.size() == names.size();
  });
  return groups;
}

std::string describe(const std::set<std::string>& some, const std::vector<std::string>& all, size_t most) {
  if (some.size() > 3 && some.size() == all.size())
    return "every tensor";
  std::map<std::string, std::set<std::string>> whole, chosen;
  for (const std::string& name : all)
    whole[starred(name)].insert(name);
  for (const std::string& name : some)
    chosen[starred(name)].insert(name);
  std::vector<std::string> items;
  for (const auto& [pattern, members] : chosen) {
    if (members.size() > 1 && members.size() == whole[pattern].size())
      items.push_back(pattern);
    else
      items.insert(items.end(), members.begin(), members.end());
  }
  std::string text;
  for (size_t i = 0; i < std::min(items.size(), most); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  if (items.size() > most)
    text += " and " + std::to_string(items.size() - most) + " more";
  return text;
}

}  // namespace parity::laws
