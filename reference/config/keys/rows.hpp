// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/config/keys.hpp"

// Functions that build the rows of the table of keys.

namespace parity::reference::rows {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value)
      list.push_back(to_json(item));
    return list;
  } else {
    return value;
  }
}

template <class T>
T from_json(const Json& value) {
  if constexpr (std::is_enum_v<T>) {
    return parse_enum<T>(value.get_ref<const std::string&>());
  } else if constexpr (IsVector<T>::value) {
    T list;
    for (const Json& item : value)
      list.push_back(from_json<typename T::value_type>(item));
    return list;
  } else {
    return value.get<T>();
  }
}

template <class T>
constexpr KeyType type_of() {
  if constexpr (std::is_same_v<T, std::vector<double>>)
    return KeyType::numbers;
  else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
    return KeyType::integers;
  else if constexpr (IsVector<T>::value)
    return KeyType::strings;
  else if constexpr (std::is_enum_v<T> || std::is_same_v<T, std::string>)
    return KeyType::string;
  else if constexpr (std::is_same_v<T, bool>)
    return KeyType::boolean;
  else if constexpr (std::is_floating_point_v<T>)
    return KeyType::number;
  else
    return KeyType::integer;
}

/// Returns a row from a generic lambda `[](auto& c) -> auto& { return c.member; }`.
template <class Access>
Key key(std::string name, Access access, std::string doc) {
  using T = std::remove_cvref_t<decltype(access(std::declval<RunConfig&>()))>;
  Key row;
  row.name = std::move(name);
  row.type = type_of<T>();
  if constexpr (std::is_enum_v<T>)
    row.values = names_of<T>();
  else if constexpr (IsVector<T>::value) {
    if constexpr (std::is_enum_v<typename T::value_type>)
      row.values = names_of<typename T::value_type>();
  }
  row.doc = std::move(doc);
  row.get = [access](const RunConfig& config) { return to_json<T>(access(config)); };
  row.set = [access](RunConfig& config, const Json& value) { access(config) = from_json<T>(value); };
  return row;
}

inline Key not_numeric(Key row) {
  row.numeric = false;
  return row;
}

inline Key with_values(Key row, std::vector<std::string> values) {
  row.values = std::move(values);
  return row;
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): a member cannot be in parentheses
#define PARITY_AT(member) [](auto& c) -> auto& { return c.member; }

}  // namespace parity::reference::rows
