// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/command_arm.hpp"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::suite {
namespace {

const std::vector<std::string> placeholders = {"config", "run_dir",  "steps",   "dtype",
                                               "python", "case_dir", "worktree"};

/// Returns the type that the value of a key of command arms has.
toml::node_type type_of(const std::string& key) {
  if (key == "ranks" || key == "nodes" || key == "ranks_per_node")
    return toml::node_type::integer;
  if (key == "launcher" || key == "local_traces")
    return toml::node_type::string;
  if (key == "float64" || key == "shared_folder")
    return toml::node_type::boolean;
  return key == "names" || key == "environment" ? toml::node_type::table : toml::node_type::array;
}

void check_words(const TomlTable& table, const Arm& arm) {
  const Place place = table.place_of("command");
  if (arm.command.empty())
    table.fail(place,
               fmt::format("the command of arm '{}' is empty; give a program and arguments", arm.name));
  if (arm.command.size() == 1 && arm.command.front().find(' ') != std::string::npos)
    table.fail(
        place,
        fmt::format("the command of arm '{}' is one word with spaces (no shell splits it); write a list: "
                    "command = [\"python3\", \"train.py\", \"...\"]",
                    arm.name));
}

/// A name in braces that is near a placeholder is a typo. Others are the program's, and so are those in a
/// word with spaces, such as a line of Python.
void check_placeholders(const TomlTable& table, const Arm& arm) {
  static const std::regex braces("\\{([a-z_]+)\\}");
  for (const std::string& word : arm.command) {
    if (word.find_first_of(" \n") != std::string::npos)
      continue;
    for (std::sregex_iterator each(word.begin(), word.end(), braces), end; each != end; ++each) {
      const std::string name = (*each)[1].str(), near = nearest(name, placeholders);
      if (!near.empty() && near != name)
        table.fail(table.place_of("command"),
                   fmt::format("unknown placeholder {{{}}} in the command of arm '{}' (did you mean {{{}}}?)",
                               name, arm.name, near));
    }
  }
}

void check_keys(const TomlTable& table, const Arm& arm) {
  std::vector<std::string> own = {"command", "environment", "inputs", "names", "ranks", "float64"};
  own.insert(own.end(), launch_keys().begin(), launch_keys().end());
  for (const auto& [key, node] : table.raw()) {
    const std::string name(key.str()), near = nearest(name, own);
    if (!near.empty() && near != name && std::ranges::find(arm_keys(), name) == arm_keys().end() &&
        node.type() == type_of(near))
      table.fail(table.place_of(key.source()),
                 fmt::format("unknown key {} in arm '{}' (did you mean '{}'? A key of your program that "
                             "resembles it belongs in a table: options.{} = ...)",
                             parity::quoted(name), arm.name, near, escape_to_line(name)));
  }
}

}  // namespace

const std::vector<std::string>& arm_keys() {
  static const std::vector<std::string> keys = {
      "command",  "program", "environment",    "inputs",           "names",        "ranks",         "float64",
      "launcher", "nodes",   "ranks_per_node", "launcher_options", "local_traces", "shared_folder", "hosts"};
  return keys;
}

void check_command_arm(const TomlTable& table, const Arm& arm) {
  check_words(table, arm);
  check_placeholders(table, arm);
  check_keys(table, arm);
}

void check_base(const TomlTable& base) {
  for (const char* key : {"command", "program", "environment", "inputs", "launcher", "launcher_options",
                          "local_traces", "shared_folder", "hosts"})
    if (base.has(key))
      base.fail(base.place_of(key),
                fmt::format("'{0}' belongs to an arm; move it to [arms.NAME], or name the program's key "
                            "otherwise",
                            key));
}

}  // namespace parity::suite
