// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity {

/// An enum's name for messages and the names of its values, as named() builds them.
template <size_t count>
struct NamedValues {
  std::string_view what;
  std::array<std::string_view, count> names;
};

/// Builds the result of enum_names(), which declares the names of an enum. It stands next to its enum, in
/// any namespace. A missing or surplus name does not compile.
///
///     enum class Relation { identical, close };
///     constexpr auto enum_names(Relation) {
///       return named<Relation::close>("relation", {"identical", "close"});
///     }
///
/// \tparam last  the last value of the enum
template <auto last, size_t count>
constexpr NamedValues<count> named(std::string_view what, const std::string_view (&names)[count]) {
  static_assert(count == static_cast<size_t>(last) + 1, "an enum needs one name for each value");
  return {what, std::to_array(names)};
}

/// Names of an enum's values: `what` is the enum's name in messages, `names` lists the values' names in
/// order.
template <class E>
struct EnumNames {
  static constexpr std::string_view what = enum_names(E{}).what;
  static constexpr auto names = enum_names(E{}).names;
};

/// Returns the name of an enum value, as used in files and messages.
template <class E>
constexpr std::string_view name_of(E value) {
  return EnumNames<E>::names.at(static_cast<size_t>(value));
}

/// Returns all names of an enum, in the order of its values.
template <class E>
std::vector<std::string> names_of() {
  return {EnumNames<E>::names.begin(), EnumNames<E>::names.end()};
}

/// Returns the value of a name, or `fallback` for a name that the enum does not have.
template <class E>
E enum_or(std::string_view name, E fallback) {
  const auto& names = EnumNames<E>::names;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<E>(i);
  return fallback;
}

/// Returns the value of a name. \throws UserError "unknown WHAT 'name' (did you mean ...?); known: ..."
template <class E>
E parse_enum(std::string_view name) {
  const auto& names = EnumNames<E>::names;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<E>(i);
  throw UserError("unknown " + std::string(EnumNames<E>::what) + " " + quoted(name) +
                  suggestion(name, names_of<E>()));
}

}  // namespace parity
