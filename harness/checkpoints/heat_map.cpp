// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "harness/base/text/table.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::checkpoints {
namespace {

struct Cell {
  Verdict verdict = Verdict::identical;
  double gap = 0;

  std::string text() const {
    if (verdict == Verdict::one_sided)
      return "one side";
    if (verdict == Verdict::different)
      return gap == 0 ? "rule" : compare::size_text(gap);
    return "=";
  }
  double heat() const {
    if (verdict < Verdict::different)
      return 0;
    if (verdict == Verdict::one_sided || gap == 0 || !(gap < 1))
      return 1;
    return std::max(0.1, 1 + 0.9 * std::log10(gap) / 16);
  }
};

/// A kind of tensor: its worst difference, and its cell in each block.
struct Column {
  Cell worst;
  std::map<int64_t, Cell> cells;
};

bool is_worse_cell(const Cell& a, const Cell& b) {
  return a.verdict != b.verdict ? a.verdict > b.verdict : a.gap > b.gap;
}

std::string name_of_column(const Role& role) {
  const std::string part(role.leaf() == "weight" ? role.part() : std::string_view(role.name));
  const std::string name = part.starts_with("#.") ? part.substr(2) : part;
  return role.state.empty() ? name : name + " " + role.state;
}

/// Returns whether a finding is about a tensor of a numbered block.
bool is_in_block(const Finding& finding) {
  const Role& role = finding.role();
  return !role.indices.empty() && (role.known || role.name.starts_with("#."));
}

using Columns = std::vector<std::pair<std::string, Column>>;

/// Returns the columns that differ somewhere, the worst first.
Columns columns_of(const std::vector<Finding>& findings) {
  std::map<std::string, Column> found;
  for (const Finding& finding : findings) {
    if (!is_in_block(finding))
      continue;
    Column& column = found[name_of_column(finding.role())];
    const Cell cell{finding.verdict, finding.gap.relative_l2()};
    const auto [place, is_new] = column.cells.emplace(finding.role().indices.front(), cell);
    if (!is_new && is_worse_cell(cell, place->second))
      place->second = cell;
    if (is_worse_cell(cell, column.worst))
      column.worst = cell;
  }
  Columns columns;
  for (auto& [name, column] : found)
    if (column.worst.verdict >= Verdict::different)
      columns.emplace_back(name, std::move(column));
  std::stable_sort(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
    return is_worse_cell(a.second.worst, b.second.worst);
  });
  return columns;
}

std::vector<int64_t> blocks_of(const std::vector<Finding>& findings) {
  std::vector<int64_t> blocks;
  for (const Finding& finding : findings)
    if (is_in_block(finding))
      blocks.push_back(finding.role().indices.front());
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

std::vector<HeatMap::Cell> row_of(int64_t block, const Columns& columns) {
  std::vector<HeatMap::Cell> row;
  for (const auto& [name, column] : columns) {
    const auto cell = column.cells.find(block);
    row.push_back(cell == column.cells.end() ? HeatMap::Cell{}
                                             : HeatMap::Cell{cell->second.text(), cell->second.heat()});
  }
  return row;
}

/// Returns whether all tensors of two rows agree, and neither row has a kind that the other lacks.
bool agree_alike(const std::vector<HeatMap::Cell>& a, const std::vector<HeatMap::Cell>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const HeatMap::Cell& one, const HeatMap::Cell& other) {
                      return one.text == other.text && (one.text == "=" || one.text.empty());
                    });
}

}  // namespace

std::string HeatMap::text(size_t most) const {
  if (rows.empty())
    return "";
  const size_t count = std::min(most, columns.size());
  std::vector<std::string> header = {"block"};
  header.insert(header.end(), columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<std::vector<std::string>> lines;
  for (const Row& row : rows) {
    std::vector<std::string>& line = lines.emplace_back(1, row.blocks);
    for (size_t i = 0; i < count; ++i)
      line.push_back(row.cells[i].text);
  }
  std::string text = text_table(header, lines);
  if (columns.size() > count)
    text += fmt::format("  and {} more kinds of tensors that differ\n", columns.size() - count);
  return text;
}

HeatMap heat_map(const std::vector<Finding>& findings) {
  const Columns all = columns_of(findings);
  const std::vector<int64_t> blocks = blocks_of(findings);
  HeatMap map;
  if (all.empty() || blocks.size() < 2)
    return map;
  for (const auto& [name, column] : all)
    map.columns.push_back(name);
  int64_t first = 0;  // of the neighbouring blocks that have the last row
  for (const int64_t block : blocks) {
    std::vector<HeatMap::Cell> cells = row_of(block, all);
    const bool same = !map.rows.empty() && agree_alike(cells, map.rows.back().cells);
    first = same ? first : block;
    if (same)
      map.rows.pop_back();
    map.rows.push_back({same ? fmt::format("{}-{}", first, block) : std::to_string(block), std::move(cells)});
  }
  return map;
}

}  // namespace parity::checkpoints
