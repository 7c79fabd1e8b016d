// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/names.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns the last `parts` parts of a case file's path without ".toml", or the whole path if it has fewer.
std::string last_parts(const fs::path& file, size_t parts) {
  const fs::path whole = fs::absolute(file).lexically_normal().replace_extension("").relative_path();
  const auto count = static_cast<size_t>(std::distance(whole.begin(), whole.end()));
  fs::path name;
  size_t left = count;
  for (const fs::path& part : whole)
    if (left-- <= parts)
      name /= part;
  return name.generic_string();
}

size_t parts_of(const std::string& name) {
  return static_cast<size_t>(std::ranges::count(name, '/')) + 1;
}

/// Gives longer names to cases that share one.
void lengthen(std::vector<Case*>& same, const std::set<std::string>& taken) {
  for (size_t parts = parts_of(same.front()->name) + 1;; ++parts) {
    std::set<std::string> names;
    for (const Case* item : same)
      names.insert(last_parts(item->file, parts));
    const bool free =
        std::ranges::none_of(names, [&](const std::string& name) { return taken.contains(name); });
    // Whole paths are unique.
    if ((names.size() == same.size() && free) || parts > 1000) {
      for (Case* item : same)
        item->name = last_parts(item->file, parts);
      return;
    }
  }
}

}  // namespace

void make_names_unique(std::vector<Case>& cases) {
  std::map<std::string, std::vector<Case*>> by_name;
  std::set<std::string> taken;
  for (Case& item : cases) {
    by_name[item.name].push_back(&item);
    taken.insert(item.name);
  }
  for (auto& [name, same] : by_name)
    if (same.size() > 1) {
      lengthen(same, taken);
      for (const Case* item : same)
        taken.insert(item->name);
    }
}

}  // namespace parity::suite
