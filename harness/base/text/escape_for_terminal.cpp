// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/escape_for_terminal.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace parity {
namespace {

/// Returns the length that the lead byte states; 0 for a byte that cannot begin a character.
size_t length_of_lead(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return 2;
  if (lead >= 0xE0 && lead <= 0xEF)
    return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return lead;
  uint32_t point = lead & (0xFFU >> (character.size() + 1));
  for (const char byte : character.substr(1))
    point = (point << 6) | (static_cast<unsigned char>(byte) & 0x3FU);
  return point;
}

/// Returns whether a character is a control or changes the direction of the following text (U+202A-202E,
/// U+2066-2069).
bool acts(uint32_t point) {
  return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point < 0xA0) ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

}  // namespace

size_t utf8_length(std::string_view text, size_t at) {
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // smaller values have a shorter form
  const size_t length = length_of_lead(static_cast<unsigned char>(text[at]));
  if (length == 0 || at + length > text.size())
    return 0;
  const std::string_view character = text.substr(at, length);
  const bool whole = std::all_of(character.begin() + 1, character.end(),
                                 [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; });
  if (!whole)
    return 0;
  const uint32_t point = code_point(character);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point < least[length] || surrogate || point > 0x10FFFF ? 0 : length;
}

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (length == 0)
      return false;
    at += length;
  }
  return true;
}

std::string escape_for_terminal(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (length == 0) {
      result += fmt::format("<0x{:02X}>", static_cast<unsigned char>(text[at++]));
      continue;
    }
    const std::string_view character = text.substr(at, length);
    const uint32_t point = code_point(character);
    result += acts(point) ? fmt::format("<U+{:04X}>", point) : std::string(character);
    at += length;
  }
  return result;
}

std::string escape_to_line(std::string_view text, size_t most) {
  std::string line = escape_for_terminal(text);
  std::replace_if(line.begin(), line.end(), [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
  if (line.size() <= most)
    return line;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
    --end;
  return line.substr(0, end) + fmt::format("... ({} bytes)", text.size());
}

std::string quoted(std::string_view name) {
  return "'" + escape_to_line(name) + "'";
}

}  // namespace parity
