// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/renaming.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace {

// std::regex recurses for each character and takes kilobytes of stack under ASan.
constexpr size_t longest_renamed = 1024;

std::regex compiled(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error& error) {
    throw UserError(fmt::format("'{}' is not a regular expression ({}); correct it", escape_to_line(pattern),
                                error.what()));
  }
}

}  // namespace

Renaming::Renaming(const std::vector<std::pair<std::string, std::string>>& rules) {
  for (const auto& [pattern, replacement] : rules)
    rules_.emplace_back(compiled(pattern), replacement);
}

std::string Renaming::operator()(std::string name) const {
  for (const auto& [pattern, replacement] : rules_) {
    if (name.size() > longest_renamed)
      throw UserError(
          fmt::format("cannot apply the names table to '{}' (the name has {} bytes, the limit is {})",
                      escape_to_line(name, 40), name.size(), longest_renamed));
    try {
      name = std::regex_replace(name, pattern, replacement);
    } catch (const std::regex_error& error) {
      throw UserError(fmt::format("cannot apply the names table to '{}' ({}); simplify its patterns",
                                  escape_to_line(name), error.what()));
    }
  }
  return name;
}

}  // namespace parity::suite
