// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/glossary.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "reports/html/page_parts.hpp"

namespace parity::reports {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');)
    cells.push_back(trimmed(cell));
  return cells;
}

/// Replaces [text](address) by text.
std::string without_links(std::string text) {
  for (size_t middle = text.find("]("); middle != std::string::npos; middle = text.find("](")) {
    const size_t begin = text.rfind('[', middle), end = text.find(')', middle);
    if (begin == std::string::npos || end == std::string::npos)
      break;
    text = text.substr(0, begin) + text.substr(begin + 1, middle - begin - 1) + text.substr(end + 1);
  }
  return text;
}

std::string as_html(const std::string& markdown) {
  std::string html;
  bool code = false;
  for (const char byte : without_links(markdown))
    if (byte == '`') {
      html += code ? "</code>" : "<code>";
      code = !code;
    } else {
      html += kainjow::mustache::html_escape(std::string(1, byte));
    }
  return html + (code ? "</code>" : "");
}

}  // namespace

std::vector<Word> glossary(std::string_view markdown) {
  std::vector<Word> words;
  std::istringstream lines{std::string(markdown)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|') || line.starts_with("|-"))
      continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 2 && cells[0] != "word")
      words.push_back({as_html(cells[0]), as_html(cells[1])});
  }
  return words;
}

}  // namespace parity::reports
