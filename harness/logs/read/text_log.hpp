// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// A kind of lines in text logs that is known: nanoGPT, Megatron, DeepSpeed, torchtitan, Hugging Face.
struct TextKind {
  std::string_view name;
  std::string_view pattern;  ///< regular expression with named groups
};

/// Returns the kinds that are known.
std::span<const TextKind> text_kinds();

/// A POSIX extended regular expression with named groups, (?<step>[0-9]+) or (?P<loss>...). \d, \w and \s are
/// known; lazy quantifiers and look-around are not.
class Pattern {
 public:
  /// \throws UserError for an invalid expression, or one that has neither the groups step and one more, nor
  /// the
  ///         group dict (a Python dict without a step)
  explicit Pattern(const std::string& text);
  ~Pattern();
  Pattern(Pattern&& other) noexcept;

  struct Group {
    std::string name, text;
  };
  /// Searches a line. Returns the named groups that matched; none if the line does not match.
  std::vector<Group> search(const std::string& line) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// Returns the known kind that a line is of; null if of none.
const TextKind* recognise_text(const std::string& line);

/// Reads the lines of a text log that match. In a Megatron line, each "name: number" between bars is a value.
/// \param pattern  the user's expression; "" takes the first known kind that a line has
/// \throws UserError if no line matches
Log read_text(std::istream& stream, const std::string& file, const std::string& pattern, const NameMap& map);

}  // namespace parity::logs
