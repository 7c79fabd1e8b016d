// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/json.hpp"

namespace parity {
namespace {

/// Returns whether at most deepest_json brackets are ever open. In text that is not JSON, this holds up to
/// the byte at which a parser stops.
bool is_shallow(std::string_view text) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (in_string) {
      i += byte == '\\' ? 1 : 0;
      in_string = byte != '"';
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '[' || byte == '{') {
      if (++depth > deepest_json)
        return false;
    } else if (byte == ']' || byte == '}') {
      depth -= depth > 0 ? 1 : 0;
    }
  }
  return true;
}

}  // namespace

bool opens_too_deep(int depth, Json::parse_event_t event) {
  const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
  return opens && static_cast<size_t>(depth) >= deepest_json;
}

Json read_json(std::string_view text) {
  return is_shallow(text) ? Json::parse(text, nullptr, /*allow_exceptions=*/false)
                          : Json(Json::value_t::discarded);
}

Json parse_json(std::string_view text) {
  return Json::parse(text);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parity
