// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/flat_config.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::suite {
namespace {

void flatten_into(FlatConfig& flat, const std::string& prefix, const Json& value) {
  for (const auto& [key, child] : value.items()) {
    std::string name = prefix;
    name.append(prefix.empty() ? "" : ".").append(key);
    if (child.is_object())
      flatten_into(flat, name, child);
    else
      flat[name] = child;
  }
}

}  // namespace

Json nest(const FlatConfig& flat) {
  Json nested = Json::object();
  for (const auto& [key, value] : flat) {
    Json* place = &nested;
    for (size_t begin = 0;;) {
      if (!place->is_object())
        throw UserError(fmt::format(
            "cannot use config key '{}' (the key above it has a value); remove one of them", key));
      const size_t dot = key.find('.', begin);
      place = &(*place)[key.substr(begin, dot - begin)];
      if (place->is_null() && dot != std::string::npos)
        *place = Json::object();
      if (dot == std::string::npos)
        break;
      begin = dot + 1;
    }
    *place = value;
  }
  return nested;
}

FlatConfig flatten(const Json& nested) {
  FlatConfig flat;
  if (nested.is_object())
    flatten_into(flat, "", nested);
  return flat;
}

int64_t integer_of(const FlatConfig& config, const std::string& key, int64_t fallback) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_number_integer() ? found->second.get<int64_t>() : fallback;
}

std::string text_of(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found != config.end() && found->second.is_string() ? found->second.get<std::string>() : "";
}

}  // namespace parity::suite
