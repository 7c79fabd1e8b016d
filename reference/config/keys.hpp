// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json/json.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

enum class KeyType { string, integer, number, boolean, strings, numbers, integers };
constexpr auto enum_names(KeyType) {
  return named<KeyType::integers>(
      "key type", {"string", "integer", "number", "boolean", "strings", "numbers", "integers"});
}

/// One key of a RunConfig. Reading, writing, the schema and messages use this row.
struct Key {
  std::string name;  ///< dotted
  KeyType type = KeyType::string;
  std::vector<std::string> values;  ///< allowed names; empty = any value of the type
  bool numeric = true;              ///< whether it can change what the run computes, or how it is run
  std::string doc;                  ///< one sentence
  std::function<Json(const RunConfig&)> get;
  std::function<void(RunConfig&, const Json&)> set;  ///< the value's type and name were checked before
};

/// Returns every key, in the order of documentation.
const std::vector<Key>& keys();

/// Returns the row of a key. \throws UserError "unknown key 'X' (did you mean 'Y'?)..."
const Key& find_key(std::string_view name);

/// Sets one key. It checks the value's type first and, for names, that it is one of `values`.
/// \throws UserError naming key, value and the allowed values
void set_key(RunConfig& config, std::string_view name, const Json& value);

/// Returns the keys of the mesh's sizes, whose product is the number of ranks that train.
std::vector<std::string> mesh_keys();

}  // namespace parity::reference
