// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/line_reader.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::logs {

bool LineReader::next(std::string& line) {
  line.clear();
  std::streambuf& bytes = *stream_.rdbuf();
  int byte = bytes.sbumpc();
  if (byte == std::char_traits<char>::eof())
    return false;
  ++number_;
  for (; byte != std::char_traits<char>::eof() && byte != '\n'; byte = bytes.sbumpc()) {
    if (byte == 0)
      refuse("a NUL byte, as binary files have", "give a log in text");
    if (line.size() == longest_line)
      refuse(fmt::format("longer than {} bytes", longest_line), "give a log with shorter lines");
    line += static_cast<char>(byte);
  }
  if (line.ends_with('\r'))
    line.pop_back();
  return true;
}

void LineReader::refuse(const std::string& cause, const std::string& hint) const {
  throw UserError(
      fmt::format("cannot read {} (line {}: {}); {}", escape_to_line(file_), number_, cause, hint));
}

}  // namespace parity::logs
