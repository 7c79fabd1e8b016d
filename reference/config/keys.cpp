// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/config/keys.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::reference {
namespace {

bool has_type(const Json& value, KeyType type) {
  switch (type) {
    case KeyType::string:
      return value.is_string();
    case KeyType::integer:
      return value.is_number_integer();
    case KeyType::number:
      return value.is_number();
    case KeyType::boolean:
      return value.is_boolean();
    case KeyType::strings:
      return value.is_array() &&
             std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
    case KeyType::integers:
      return value.is_array() && std::all_of(value.begin(), value.end(),
                                             [](const Json& item) { return item.is_number_integer(); });
    case KeyType::numbers:
      return value.is_array() &&
             std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_number(); });
  }
  return false;
}

std::string describe(KeyType type) {
  if (type == KeyType::strings || type == KeyType::numbers || type == KeyType::integers)
    return "a list of " + std::string(name_of(type));
  return std::string(name_of(type));
}

void check_name(const Key& row, const std::string& name) {
  if (!row.values.empty() && std::find(row.values.begin(), row.values.end(), name) == row.values.end())
    throw UserError(row.name + " = '" + name + "' is not one of its values" + suggestion(name, row.values));
}

}  // namespace

const Key& find_key(std::string_view name) {
  for (const Key& row : keys())
    if (row.name == name)
      return row;
  std::vector<std::string> known;
  for (const Key& row : keys())
    known.push_back(row.name);
  throw UserError("unknown key '" + std::string(name) + "'" + suggestion(name, known));
}

void set_key(RunConfig& config, std::string_view name, const Json& value) {
  const Key& row = find_key(name);
  if (!has_type(value, row.type))
    throw UserError(row.name + " = " + value.dump() + " has the wrong type (it takes " + describe(row.type) +
                    "); " + row.doc);
  if (row.type == KeyType::strings) {
    for (const Json& item : value)
      check_name(row, item.get<std::string>());
  } else if (row.type != KeyType::numbers && row.type != KeyType::integers) {
    check_name(row, value.is_string() ? value.get<std::string>() : value.dump());
  }
  row.set(config, value);
}

std::vector<std::string> mesh_keys() {
  return {"parallel.pp", "parallel.dp_replicate", "parallel.dp_shard", "parallel.cp", "parallel.tp"};
}

}  // namespace parity::reference
