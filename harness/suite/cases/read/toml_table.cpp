// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/toml_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::suite {
namespace {

constexpr size_t deepest_config = 16;

Json to_json(const toml::node& node) {
  if (const auto* value = node.as_string())
    return value->get();
  if (const auto* value = node.as_integer())
    return value->get();
  if (const auto* value = node.as_floating_point())
    return value->get();
  if (const auto* value = node.as_boolean())
    return value->get();
  if (const auto* list = node.as_array()) {
    Json values = Json::array();
    for (const toml::node& element : *list)
      values.push_back(to_json(element));
    return values;
  }
  return nullptr;
}

/// Whether a value, or one inside a list, fulfils `wrong`.
bool any_value(const Json& value, bool (*wrong)(const Json&)) {
  return value.is_array() ? std::any_of(value.begin(), value.end(),
                                        [&](const Json& each) { return any_value(each, wrong); })
                          : wrong(value);
}

void flatten_table(Overrides& flat, const TomlTable& table, const std::string& prefix,
                   const std::vector<std::string>& skip, size_t depth) {
  for (const auto& [key, node] : table.raw()) {
    const std::string name = prefix + std::string(key.str());
    if (prefix.empty() && std::find(skip.begin(), skip.end(), name) != skip.end())
      continue;
    if (const toml::table* child = node.as_table()) {
      if (depth >= deepest_config)
        table.fail(table.place_of(key.source()),
                   fmt::format("tables are nested more than {} levels deep here, and no config key is",
                               deepest_config));
      flatten_table(flat, TomlTable(*child, table.file(), name), name + ".", skip, depth + 1);
      continue;
    }
    const Json value = to_json(node);
    if (any_value(value, [](const Json& each) { return each.is_null(); }))
      table.fail(table.place_of(key.source()),
                 parity::quoted(name) + " holds a date, a time or a table in a list; give text or numbers");
    if (any_value(value, [](const Json& each) {
          return each.is_number_float() && !std::isfinite(each.get<double>());
        }))
      table.fail(table.place_of(key.source()),
                 parity::quoted(name) +
                     " must be a finite number (JSON has no nan and no inf); give one, or remove the key");
    flat[name] = {value, table.place_of(key.source())};
  }
}

}  // namespace

Place TomlTable::place_of(std::string_view wanted) const {
  for (const auto& [key, node] : table_)
    if (key.str() == wanted)
      return place_of(key.source());
  return place();
}

void TomlTable::fail(const Place& at, const std::string& problem) const {
  throw UserError(fmt::format("{}: {}", at.text(), problem));
}

void TomlTable::wrong_type(std::string_view key, const std::string& expected) const {
  fail(place_of(key), parity::quoted(key) + " of the " + escape_to_line(what_) + " must be " + expected);
}

void TomlTable::allow_only(const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(place_of(key.source()),
           "unknown key " + parity::quoted(name) + " in the " + what_ + suggestion(name, known));
  }
}

std::string TomlTable::string(std::string_view key, const std::string& fallback) const {
  const toml::node* node = table_.get(key);
  if (!node)
    return fallback;
  if (!node->is_string())
    wrong_type(key, "a string in quotes");
  return node->as_string()->get();
}

int64_t TomlTable::integer(std::string_view key, int64_t fallback) const {
  const toml::node* node = table_.get(key);
  if (!node)
    return fallback;
  if (!node->is_integer())
    wrong_type(key, "an integer");
  return node->as_integer()->get();
}

double TomlTable::number(std::string_view key, double fallback) const {
  const toml::node* node = table_.get(key);
  if (!node)
    return fallback;
  if (!node->is_number())
    wrong_type(key, "a number");
  return *node->value<double>();
}

bool TomlTable::boolean(std::string_view key, bool fallback) const {
  const toml::node* node = table_.get(key);
  if (!node)
    return fallback;
  if (!node->is_boolean())
    wrong_type(key, "true or false");
  return node->as_boolean()->get();
}

std::vector<std::string> TomlTable::strings(std::string_view key) const {
  const toml::node* node = table_.get(key);
  std::vector<std::string> values;
  if (!node)
    return values;
  if (node->is_string())
    return {node->as_string()->get()};
  if (!node->is_array())
    wrong_type(key, "a list of strings");
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_string())
      wrong_type(key, "a list of strings");
    values.push_back(element.as_string()->get());
  }
  return values;
}

std::vector<int64_t> TomlTable::integers(std::string_view key) const {
  const toml::node* node = table_.get(key);
  std::vector<int64_t> values;
  if (!node)
    return values;
  if (!node->is_array())
    wrong_type(key, "a list of integers");
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_integer())
      wrong_type(key, "a list of integers");
    values.push_back(element.as_integer()->get());
  }
  return values;
}

TomlTable TomlTable::table(std::string_view key, const std::string& what) const {
  static const toml::table empty;
  const toml::node* node = table_.get(key);
  if (!node)
    return TomlTable(empty, file_, what);
  if (!node->is_table())
    wrong_type(key, "a table");
  return TomlTable(*node->as_table(), file_, what);
}

Overrides flatten(const TomlTable& table, const std::vector<std::string>& skip) {
  Overrides flat;
  flatten_table(flat, table, "", skip, 0);
  return flat;
}

}  // namespace parity::suite
