// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/model/json_node.hpp"

/// Functions that return a member, or the fallback if it is missing or null. Another type is an error that
/// names the place.
namespace parity::reports {

inline std::string text_or(const JsonNode& parent, const char* name, const std::string& fallback = "") {
  const auto node = parent.find(name);
  return node ? node->text() : fallback;
}

inline bool flag_or(const JsonNode& parent, const char* name, bool fallback) {
  const auto node = parent.find(name);
  return node ? node->flag() : fallback;
}

inline int64_t integer_or(const JsonNode& parent, const char* name, int64_t fallback) {
  const auto node = parent.find(name);
  return node ? node->integer() : fallback;
}

inline double number_or(const JsonNode& parent, const char* name, double fallback) {
  const auto node = parent.find(name);
  return node ? node->number() : fallback;
}

inline Json object_or_empty(const JsonNode& parent, const char* name) {
  const auto node = parent.find(name);
  return node ? node->object() : Json::object();
}

inline Json scalars_or_empty(const JsonNode& parent, const char* name) {
  const auto node = parent.find(name);
  return node ? node->scalars() : Json::object();
}

/// Returns each item of an optional list, parsed by `parse`.
template <class Parse>
auto list(const JsonNode& parent, const char* name, Parse parse) {
  std::vector<decltype(parse(parent))> result;
  if (const auto node = parent.find(name))
    for (const JsonNode& item : node->items())
      result.push_back(parse(item));
  return result;
}

inline std::vector<std::string> texts(const JsonNode& parent, const char* name) {
  return list(parent, name, [](const JsonNode& item) { return item.text(); });
}

}  // namespace parity::reports
