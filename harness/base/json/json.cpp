// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/json/json.hpp"

namespace parity {
namespace {

struct TooDeep {};

bool check_depth(int depth, Json::parse_event_t event, const Json&) {
  if (opens_too_deep(depth, event))
    throw TooDeep();
  return true;
}

}  // namespace

bool opens_too_deep(int depth, Json::parse_event_t event) {
  const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
  return opens && static_cast<size_t>(depth) >= deepest_json;
}

Json read_json(std::string_view text) try {
  return Json::parse(text, check_depth, /*allow_exceptions=*/false);
} catch (const TooDeep&) {
  return Json(Json::value_t::discarded);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parity
