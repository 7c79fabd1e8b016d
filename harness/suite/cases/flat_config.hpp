// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/base/json.hpp"

namespace parity {

/// A RunConfig by dotted keys: {"lr.first_index": 1, "model": "llama3.debug"}. Values are scalars or lists.
using FlatConfig = std::map<std::string, Json>;

/// {"lr.base": 1} becomes {"lr": {"base": 1}}, the form trainers read. \throws UserError if one key is the
/// start of another ("lr" and "lr.base").
Json nest(const FlatConfig& flat);

/// The inverse of nest.
FlatConfig flatten(const Json& nested);

/// A key's whole number; `fallback` where it is not there or no whole number.
int64_t integer_of(const FlatConfig& config, const std::string& key, int64_t fallback);
/// A key's text; "" where it is not there or no text.
std::string text_of(const FlatConfig& config, const std::string& key);

}  // namespace parity
