// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "harness/base/json/json.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Applies a config file: TOML, or JSON where the name ends in .json. Tables nest; dotted keys mean the same.
/// \throws UserError "FILE:LINE: ..." for bad syntax, an unknown key (with the nearest name), a wrong type
void read_config_file(RunConfig& config, const std::filesystem::path& path);

/// Applies TOML text. \param where  name for messages
void read_toml(RunConfig& config, std::string_view text, std::string_view where);

/// Applies a JSON object, nested or with dotted keys.
void read_json(RunConfig& config, const Json& json, std::string_view where);

/// Applies "key=value" of the command line; the value is written as in TOML, and names need no quotes.
void apply_setting(RunConfig& config, std::string_view setting);

/// Returns the whole config as nested objects with sorted keys: equal configs give equal bytes.
Json to_json(const RunConfig& config);

/// Returns the config without the keys that cannot change a run (paths).
Json to_numeric_json(const RunConfig& config);

}  // namespace parity::reference
