// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "harness/base/error.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// A TOML table that is read with type checks. Each error names file, line and column.
class TomlTable {
 public:
  /// \param what  name of the table in messages: "case", "check", "arm 'a'"
  TomlTable(const toml::table& table, std::string file, std::string what)
      : table_(table), file_(std::move(file)), what_(std::move(what)) {}

  const toml::table& raw() const { return table_; }
  const std::string& file() const { return file_; }
  Place place() const { return place_of(table_.source()); }
  Place place_of(const toml::source_region& region) const {
    return {file_, region.begin.line, region.begin.column};
  }
  Place place_of(std::string_view key) const;
  bool has(std::string_view key) const { return table_.contains(key); }

  /// \throws UserError if a key is not among `known`
  void allow_only(const std::vector<std::string>& known) const;

  /// Returns the value, or `fallback` if the key is missing. \throws UserError if the type is wrong
  std::string string(std::string_view key, const std::string& fallback = "") const;
  int64_t integer(std::string_view key, int64_t fallback) const;
  double number(std::string_view key, double fallback) const;
  bool boolean(std::string_view key, bool fallback) const;
  /// Returns a list of strings; a single string counts as a list of one.
  std::vector<std::string> strings(std::string_view key) const;
  std::vector<int64_t> integers(std::string_view key) const;
  /// Returns the table of a key, or an empty table if the key is missing.
  TomlTable table(std::string_view key, const std::string& what) const;

  [[noreturn]] void fail(const Place& at, const std::string& problem) const;

 private:
  [[noreturn]] void wrong_type(std::string_view key, const std::string& expected) const;

  const toml::table& table_;
  std::string file_;
  std::string what_;
};

/// Returns the result of `read`; adds the position to the message of a UserError that it throws.
template <class Read>
auto placed(const TomlTable& table, const Place& place, Read&& read) {
  try {
    return read();
  } catch (const UserError& error) {
    table.fail(place, error.what());
  }
}

/// Returns the scalars and lists of a TOML table by dotted keys, with their positions.
/// \param skip  top-level keys to leave out
Overrides flatten(const TomlTable& table, const std::vector<std::string>& skip = {});

}  // namespace parity::suite
