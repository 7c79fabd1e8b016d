// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace parity {

/// JSON value with sorted object keys. `dump()` of equal values gives equal bytes: the canonical form.
using Json = nlohmann::json;

/// Maximum nesting depth. Deeper values are rejected, because writing and comparing them recurses.
inline constexpr size_t deepest_json = 100;

/// Returns whether a parser opens an object or a list below deepest_json levels. For callbacks of
/// Json::parse().
/// \param depth  number of brackets that are open
bool opens_too_deep(int depth, Json::parse_event_t event);

/// Parses untrusted JSON. Returns a discarded value (is_discarded()) if the text is invalid or nested too
/// deeply.
Json read_json(std::string_view text);

/// Parses JSON that parity itself has just written, or whose depth is known. \throws Json::exception
Json parse_json(std::string_view text);

/// Returns JSON as text, for files and for printing. Bytes that are not UTF-8 (in a path or a trainer's
/// output) become U+FFFD instead of an error.
/// \param indent  spaces per level; -1: one line
std::string json_text(const Json& json, int indent = -1);

}  // namespace parity
