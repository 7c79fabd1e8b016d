// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity {

/// What parity-train takes, read from the file that lies beside it, so that a config is checked and completed
/// without starting a LibTorch program. Schema parity.config/1.
class ConfigSchema {
 public:
  struct Key {
    std::string type;  ///< string, integer, number, boolean or strings
    std::string doc;   ///< what it means, a sentence
    Json default_value;
    std::vector<Json> values;  ///< what it, or each of its elements, may be; empty: anything
    bool numeric = true;       ///< whether it may change what is computed
  };

  /// \throws UserError if the file is missing (exit 3), not JSON, or of another schema
  static ConfigSchema load(const std::filesystem::path& file);
  static ConfigSchema from_json(const Json& json);

  const std::map<std::string, Key>& keys() const { return keys_; }
  /// Names of the channels the trainer records; empty if the file does not say.
  const std::vector<std::string>& channels() const { return channels_; }
  /// How many ranks a config asks for: the product of its mesh.
  int64_t ranks(const FlatConfig& config) const;

  /// The value as the schema stores it (integers become numbers where a number is meant).
  /// \throws UserError "unknown config key 'x' ..." or "'x' must be ... "
  Json checked(const std::string& key, const Json& value) const;
  /// Every key of the schema: from `config` where it is given, else the default.
  FlatConfig complete(const FlatConfig& config) const;

 private:
  std::map<std::string, Key> keys_;
  std::vector<std::string> channels_;
  std::vector<std::string> mesh_;  ///< keys that hold the sizes of the mesh
};

}  // namespace parity
