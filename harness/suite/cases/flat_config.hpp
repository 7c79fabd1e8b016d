// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// A run config by dotted keys: {"lr.first_index": 1, "model": "llama3.debug"}. Values are scalars or lists.
using FlatConfig = std::map<std::string, Json>;

/// Returns the nested form that trainers read: {"lr.base": 1} becomes {"lr": {"base": 1}}.
/// \throws UserError if one key is a prefix of another ("lr" and "lr.base")
Json nest(const FlatConfig& flat);

/// Returns the dotted form of a nested config, the inverse of nest().
FlatConfig flatten(const Json& nested);

/// Returns a key's integer, or `fallback` if the key is missing or its value is not an integer.
int64_t integer_of(const FlatConfig& config, const std::string& key, int64_t fallback);
/// Returns a key's string, or "" if the key is missing or its value is not a string.
std::string text_of(const FlatConfig& config, const std::string& key);

}  // namespace parity::suite
