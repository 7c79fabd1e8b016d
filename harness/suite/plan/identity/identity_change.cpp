// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/identity_change.hpp"

#include <set>

namespace parity::suite {
namespace {

const Json& member(const Json& object, const std::string& key) {
  static const Json none;
  return object.is_object() && object.contains(key) ? object.at(key) : none;
}

std::set<std::string> joint_keys(const Json& a, const Json& b) {
  std::set<std::string> keys;
  for (const Json* object : {&a, &b})
    if (object->is_object())
      for (const auto& [key, value] : object->items())
        keys.insert(key);
  return keys;
}

/// Appends "WHAT KEY" for each member that differs, with (new) or (gone) where one side lacks it.
void add_members(std::vector<std::string>& phrases, const std::string& what, const Json& before,
                 const Json& now) {
  for (const std::string& key : joint_keys(before, now)) {
    const Json& was = member(before, key);
    const Json& is = member(now, key);
    if (was != is)
      phrases.push_back(what + " " + key + (was.is_null() ? " (new)" : is.is_null() ? " (gone)" : ""));
  }
}

/// How a member of an identity is called, where its name is not enough.
std::string name_of_member(const std::string& key) {
  return key == "program"       ? "the program"
         : key == "cpu"         ? "the CPU"
         : key == "launch"      ? "how its ranks start"
         : key == "variables"   ? "the arm's environment"
         : key == "traces"      ? "the traces that it reads"
         : key == "environment" ? "the determinism profile's variables"
                                : key;
}

}  // namespace

std::vector<std::string> describe_identity_change(const Json& before, const Json& now) {
  std::vector<std::string> phrases;
  for (const std::string& key : joint_keys(before, now)) {
    const Json& was = member(before, key);
    const Json& is = member(now, key);
    if (was == is || key == "surroundings")
      continue;
    if (key == "config" || key == "inputs")
      add_members(phrases, key == "config" ? "config key" : "input", was, is);
    else
      phrases.push_back(name_of_member(key));
  }
  const Json& around_before = member(before, "surroundings");
  const Json& around_now = member(now, "surroundings");
  for (const std::string& key : joint_keys(around_before, around_now)) {
    const Json& was = member(around_before, key);
    const Json& is = member(around_now, key);
    if (was == is || key == "config")  // config: named above already
      continue;
    if (key == "packages") {
      add_members(phrases, "package", was, is);
      continue;
    }
    if (key != "environment") {
      phrases.push_back(key == "site"       ? "the site on which it runs"
                        : key == "launcher" ? "the program of the launcher"
                                            : "the command or its program");
      continue;
    }
    const size_t known = phrases.size();
    add_members(phrases, "environment variable", member(was, "variables"), member(is, "variables"));
    add_members(phrases, "preloaded library", member(was, "preloaded"), member(is, "preloaded"));
    if (phrases.size() == known)
      phrases.emplace_back("an environment variable");
  }
  return phrases;
}

}  // namespace parity::suite
