// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace parity::suite {

/// Renames tensors by the rules of a names table: applies each rule once, in the order of the table.
class Renaming {
 public:
  /// \param rules  regular expression -> replacement
  /// \throws UserError if a regular expression is invalid
  explicit Renaming(const std::vector<std::pair<std::string, std::string>>& rules);

  /// \throws UserError for a name that is too long, or that a pattern cannot be applied to
  std::string operator()(std::string name) const;

 private:
  std::vector<std::pair<std::regex, std::string>> rules_;
};

}  // namespace parity::suite
