// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/read.hpp"

#include <sstream>
#include <string>

#include <toml++/toml.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/config/keys.hpp"

namespace parity::reference {
namespace {

Json to_json(const toml::node& node) {
  if (const auto* text = node.as_string())
    return text->get();
  if (const auto* integer = node.as_integer())
    return integer->get();
  if (const auto* number = node.as_floating_point())
    return number->get();
  if (const auto* boolean = node.as_boolean())
    return boolean->get();
  if (const auto* list = node.as_array()) {
    Json result = Json::array();
    for (const toml::node& item : *list)
      result.push_back(to_json(item));
    return result;
  }
  throw UserError("cannot use a date or a table as a config value; write a string, number, boolean or list");
}

std::string at_line(std::string_view where, const toml::source_region& region) {
  return std::string(where) + ":" + std::to_string(region.begin.line) + ": ";
}

void apply_table(RunConfig& config, const toml::table& table, const std::string& prefix,
                 std::string_view where) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      apply_table(config, *inner, name + ".", where);
      continue;
    }
    try {
      set_key(config, name, to_json(node));
    } catch (const UserError& error) {
      throw UserError(at_line(where, key.source()) + error.what(), error.code());
    }
  }
}

void apply_object(RunConfig& config, const Json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object())
      apply_object(config, value, prefix + key + ".");
    else
      set_key(config, prefix + key, value);
  }
}

Json nested(const RunConfig& config, bool numeric_only) {
  Json result = Json::object();
  for (const Key& row : keys()) {
    if (numeric_only && !row.numeric)
      continue;
    std::string pointer = "/" + row.name;
    for (char& c : pointer)
      if (c == '.')
        c = '/';
    result[Json::json_pointer(pointer)] = row.get(config);
  }
  return result;
}

}  // namespace

void read_toml(RunConfig& config, std::string_view text, std::string_view where) {
  toml::table table;
  try {
    table = toml::parse(text, where);
  } catch (const toml::parse_error& error) {
    throw UserError(at_line(where, error.source()) + std::string(error.description()) +
                    " (not valid TOML); fix the line");
  }
  apply_table(config, table, "", where);
}

void read_json(RunConfig& config, const Json& json, std::string_view where) {
  if (!json.is_object())
    throw UserError(std::string(where) + ": a config is a JSON object, not " + json.type_name());
  try {
    apply_object(config, json, "");
  } catch (const UserError& error) {
    throw UserError(std::string(where) + ": " + error.what(), error.code());
  }
}

void read_config_file(RunConfig& config, const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw UserError("no config file " + path.string() + " (it does not exist); check the path",
                    ExitCode::missing);
  const std::string text = read_file(path);
  if (path.extension() != ".json")
    return read_toml(config, text, path.string());
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw UserError(path.string() + ": not valid JSON (" + error.what() + "); fix it there");
  }
  read_json(config, json, path.string());
}

void apply_setting(RunConfig& config, std::string_view setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw UserError("--set " + std::string(setting) + " has no key (it must be key=value); see --schema");
  const std::string name(setting.substr(0, equals));
  const std::string value(setting.substr(equals + 1));
  const Key& row = find_key(name);
  if (row.type == KeyType::string && (value.empty() || value.front() != '"'))
    return set_key(config, name, value);
  toml::table table;
  try {
    table = toml::parse("value = " + value);
  } catch (const toml::parse_error& error) {
    throw UserError("--set " + std::string(setting) + ": " + std::string(error.description()) +
                    " (the value is read as TOML); lists are written [\"a\", \"b\"]");
  }
  set_key(config, name, to_json(*table.get("value")));
}

Json to_json(const RunConfig& config) {
  return nested(config, false);
}

Json to_numeric_json(const RunConfig& config) {
  return nested(config, true);
}

}  // namespace parity::reference
