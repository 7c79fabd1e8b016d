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

/// Returns how deep brackets nest outside strings, even if the text is not JSON.
size_t json_depth(std::string_view text);

/// Parses untrusted JSON. Returns a discarded value (is_discarded()) if the text is invalid or nested too
/// deeply.
Json read_json(std::string_view text);

/// Returns JSON as text, for files and for printing. Bytes that are not UTF-8 (in a path or a trainer's
/// output) become U+FFFD instead of an error.
/// \param indent  spaces per level; -1: one line
std::string json_text(const Json& json, int indent = -1);

}  // namespace parity
