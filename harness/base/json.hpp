// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace parity {

/// Object keys are sorted, so `dump()` of equal values gives equal bytes: the canonical form.
using Json = nlohmann::json;

/// Values nested deeper than this are refused: writing and comparing them recurses.
inline constexpr size_t deepest_json = 100;

/// How deep brackets nest outside strings, whether or not the text is JSON.
size_t json_depth(std::string_view text);

/// JSON that somebody else wrote; discarded (is_discarded()) if it is none or nested too deeply.
Json read_json(std::string_view text);

/// JSON as text, for files and for printing. Bytes that are no UTF-8 (a path, a trainer's words) become
/// U+FFFD instead of an error. \param indent  -1: one line
std::string json_text(const Json& json, int indent = -1);

}  // namespace parity
