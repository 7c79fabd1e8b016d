// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace parity {

/// Returns whether a stream is a terminal that understands control sequences (not TERM=dumb).
bool is_terminal(std::FILE* stream);

/// Returns the columns of the terminal, or 80 if unknown.
int terminal_width(std::FILE* stream);

/// Colours for one stream: plain text unless it is a terminal. NO_COLOR turns them off (no-color.org).
class Style {
 public:
  explicit Style(bool coloured) : coloured_(coloured) {}
  static Style for_stream(std::FILE* stream);

  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("31", text); }
  std::string warn(std::string_view text) const { return paint("33", text); }
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string faint(std::string_view text) const { return paint("2", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool coloured_;
};

}  // namespace parity
