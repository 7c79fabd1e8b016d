// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/file/mixed.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace parity::suite {
namespace {

/// The members in which machines that share a suite may differ: no bit depends on them, or each case has its
/// own.
constexpr std::array<std::string_view, 4> may_differ = {"cores", "profile", "shard", "missing shards"};

Json member(const Json& object, const std::string& key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json();
}

std::string describe(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "none" : json_text(value);
}

std::set<std::string> keys_of(const Json& a, const Json& b) {
  std::set<std::string> keys;
  for (const Json& object : {a, b})
    if (object.is_object())
      for (const auto& entry : object.items())
        keys.insert(entry.key());
  return keys;
}

}  // namespace

std::vector<std::string> differences_of_origin(const Json& results, const std::string& folder,
                                               const Json& others, const std::string& other_folder) {
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& name, const Json& a, const Json& b) {
    if (a != b)
      differences.push_back(name + ": " + describe(a) + " in " + folder + ", " + describe(b) + " in " +
                            other_folder);
  };
  compare("schema", member(results, "schema"), member(others, "schema"));
  for (const char* part : {"producer", "environment"}) {
    const Json a = member(results, part);
    const Json b = member(others, part);
    for (const std::string& key : keys_of(a, b))
      if (std::ranges::find(may_differ, key) == may_differ.end())
        compare(key, member(a, key), member(b, key));
  }
  return differences;
}

}  // namespace parity::suite
