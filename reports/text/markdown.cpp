// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/markdown.hpp"

#include <algorithm>
#include <string_view>

#include "reports/model/text.hpp"

namespace parity::reports::markdown {
namespace {

constexpr size_t longest_name = 160;

}  // namespace

std::string plain(const std::string& text, size_t longest) {
  std::string result;
  for (const char byte : shorten(text, longest)) {
    if (byte == '<')
      result += "&lt;";
    else if (byte == '>')
      result += "&gt;";
    else if (byte == '&')
      result += "&amp;";
    else if (std::string_view("\\`*_[]|~$#!").find(byte) != std::string_view::npos)
      result += std::string("\\") + byte;
    else
      result += byte;
  }
  return result;
}

std::string html(const std::string& text, size_t longest) {
  std::string result;
  for (const char byte : shorten(text, longest))
    result += byte == '<' ? "&lt;" : byte == '>' ? "&gt;" : byte == '&' ? "&amp;" : std::string(1, byte);
  return result;
}

std::string code(const std::string& text) {
  return "<code>" + plain(text, longest_name) + "</code>";
}

std::string block(const std::string& text) {
  size_t longest = 2, run = 0;
  for (const char byte : text) {
    run = byte == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + text + "\n" + fence + "\n\n";
}

}  // namespace parity::reports::markdown
