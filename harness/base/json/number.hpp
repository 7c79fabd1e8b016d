// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "harness/base/json/json.hpp"

namespace parity {

/// Returns a JSON number; "nan", "inf" or "-inf" for values that JSON cannot represent.
inline Json json_number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

/// Returns the number of a JSON value that json_number made; NaN for anything else.
inline double number_of(const Json& json) {
  if (json.is_number())
    return json.get<double>();
  if (json == "inf" || json == "-inf")
    return json == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

/// Returns a JSON value whose numbers JSON can represent (json_number).
inline Json finite_json(const Json& value) {
  if (value.is_number_float())
    return json_number(value.get<double>());
  Json copy = value;
  if (copy.is_structured())
    for (auto& element : copy)
      element = finite_json(element);
  return copy;
}

}  // namespace parity
