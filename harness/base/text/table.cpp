// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/table.hpp"

#include <algorithm>

#include "harness/base/text/escape_for_terminal.hpp"

namespace parity {
namespace {

constexpr size_t longest_cell = 300;

bool is_number(const std::string& cell) {
  return !cell.empty() && (cell == "nan" || cell == "inf" || cell == "-inf" || cell == "-" ||
                           cell.find_first_not_of("0123456789.+-eE^") == std::string::npos);
}

/// Returns the characters that a terminal counts: UTF-8 continuation bytes take no column.
size_t width_of(const std::string& cell) {
  return static_cast<size_t>(std::count_if(
      cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void add_line(std::string& text, const std::vector<std::string>& cells, const std::vector<size_t>& widths,
              const std::string& indent) {
  std::string line = indent;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - width_of(cells[i]), ' ');
    line += (i ? "  " : "") + (is_number(cells[i]) ? padding + cells[i] : cells[i] + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& raw, const std::string& indent) {
  std::vector<std::vector<std::string>> rows = raw;
  for (auto& row : rows)
    for (std::string& cell : row)
      cell = escape_to_line(cell, longest_cell);
  std::vector<size_t> widths;
  const auto grow = [&](const std::vector<std::string>& cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], width_of(cells[i]));
  };
  grow(header);
  std::for_each(rows.begin(), rows.end(), grow);
  std::string text;
  if (!header.empty())
    add_line(text, header, widths, indent);
  for (const auto& row : rows)
    add_line(text, row, widths, indent);
  return text;
}

}  // namespace parity
