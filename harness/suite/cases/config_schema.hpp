// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::suite {

/// The config keys that parity-train accepts, read from the schema file next to it (schema parity.config/1).
/// Configs are checked and completed with it without starting a LibTorch program.
class ConfigSchema {
 public:
  struct Key {
    std::string type;  ///< string, integer, number, boolean or strings
    std::string doc;   ///< its meaning, in a sentence
    Json default_value;
    std::vector<Json> values;  ///< allowed values of it or its elements; empty: any
    bool numeric = true;       ///< whether it may change the numbers
  };

  /// \throws UserError if the file is missing (exit 3), not JSON, or of another schema
  static ConfigSchema load(const std::filesystem::path& file);
  static ConfigSchema from_json(const Json& json);

  const std::map<std::string, Key>& keys() const { return keys_; }
  /// Returns the names of the channels that the trainer records; empty if the file does not list them.
  const std::vector<std::string>& channels() const { return channels_; }
  /// Returns the number of ranks that a config asks for: the product of the sizes of its mesh, and the ranks
  /// beside it.
  int64_t ranks(const FlatConfig& config) const;

  /// Returns the value in the key's type (an integer becomes a number where the type is number).
  /// \throws UserError "unknown config key 'x' ..." or "'x' must be ... "
  Json checked(const std::string& key, const Json& value) const;
  /// Returns every key of the schema, with its value in `config` or else its default.
  FlatConfig complete(const FlatConfig& config) const;

 private:
  std::map<std::string, Key> keys_;
  std::vector<std::string> channels_;
  std::vector<std::string> mesh_;               ///< keys that hold the sizes of the mesh
  std::vector<std::string> ranks_beside_mesh_;  ///< keys that hold numbers of further ranks
};

}  // namespace parity::suite
