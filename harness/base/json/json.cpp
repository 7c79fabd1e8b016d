// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/json.hpp"

#include <algorithm>

namespace parity {

size_t json_depth(std::string_view text) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!in_string && (c == ']' || c == '}') && depth > 0)
      --depth;
  }
  return deepest;
}

Json read_json(std::string_view text) {
  if (json_depth(text) > deepest_json)
    return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parity
