// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/json/json.hpp"

namespace parity {

/// Return a member of a file that may have been edited, or the fallback if it is missing or has another type.
/// (Json::value throws for another type.)
inline std::string text_or(const Json& object, const char* key, const std::string& fallback = "") {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : fallback;
}

inline double number_or(const Json& object, const char* key, double fallback) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>()
                                                                               : fallback;
}

inline int64_t integer_or(const Json& object, const char* key, int64_t fallback) {
  return object.is_object() && object.contains(key) && object[key].is_number_integer()
             ? object[key].get<int64_t>()
             : fallback;
}

/// Returns whether a member is a list that contains only strings.
inline bool has_strings(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_array())
    return false;
  for (const Json& item : object[key])
    if (!item.is_string())
      return false;
  return true;
}

}  // namespace parity
