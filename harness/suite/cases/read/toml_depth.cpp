// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/toml_depth.hpp"

#include <algorithm>

namespace parity::suite {
namespace {

/// Returns the index after the string that begins at `at`. A single-line string ends with its line.
size_t end_of_string(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const bool multiline = text.substr(at, 3) == std::string_view(escapes ? "\"\"\"" : "'''");
  size_t i = at + (multiline ? 3 : 1);
  for (; i < text.size(); ++i) {
    if (escapes && text[i] == '\\')
      ++i;
    else if (!multiline && (text[i] == quote || text[i] == '\n'))
      return i + 1;
    else if (multiline && text[i] == quote && text.substr(i, 3) == text.substr(at, 3))
      return i + 3;
  }
  return text.size();
}

bool separates(char c) {
  return c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

}  // namespace

size_t most_key_parts(std::string_view toml) {
  size_t parts = 1;
  size_t most = 1;
  for (size_t i = 0; i < toml.size();) {
    const char c = toml[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(toml, i);
      continue;
    }
    if (c == '#') {
      i = std::min(toml.find('\n', i), toml.size());
      continue;
    }
    parts = c == '.' ? parts + 1 : separates(c) ? 1 : parts;
    most = std::max(most, parts);
    ++i;
  }
  return most;
}

}  // namespace parity::suite
