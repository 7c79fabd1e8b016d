// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parity::logs {

/// A JSON line without its numbers. Loggers write the same line over and over with other numbers. Such a line
/// is the same JSON, so only its numbers have to be read.
class LineTemplate {
 public:
  /// Takes the texts between the numbers of a line.
  /// \param line   valid JSON
  /// \param count  numbers in it; a line where another count is found gives an empty template
  void learn(std::string_view line, size_t count);
  void clear() { texts_.clear(); }
  /// Returns whether the line is the template's with other numbers, and reads these. An integer beyond 2^53,
  /// -0 or a number that is out of range does not match: the JSON parser decides.
  bool match(std::string_view line, std::vector<double>& numbers) const;

 private:
  std::vector<std::string> texts_;  ///< one more than numbers; empty: matches nothing
};

}  // namespace parity::logs
