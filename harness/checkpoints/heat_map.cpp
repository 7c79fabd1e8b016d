// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/heat_map.hpp"

#include <algorithm>
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

std::vector<std::string> row_of(int64_t block, const Columns& columns, size_t count) {
  std::vector<std::string> row;
  for (size_t i = 0; i < count; ++i) {
    const auto cell = columns[i].second.cells.find(block);
    row.push_back(cell == columns[i].second.cells.end() ? "" : cell->second.text());
  }
  return row;
}

}  // namespace

std::string heat_map(const std::vector<Finding>& findings, size_t columns) {
  const Columns all = columns_of(findings);
  const std::vector<int64_t> blocks = blocks_of(findings);
  if (all.empty() || blocks.size() < 2)
    return "";
  const size_t count = std::min(columns, all.size());
  std::vector<std::string> header = {"block"};
  for (size_t i = 0; i < count; ++i)
    header.push_back(all[i].first);
  std::vector<std::vector<std::string>> rows;
  int64_t first = 0;  // of the neighbouring blocks that have the last row
  for (const int64_t block : blocks) {
    std::vector<std::string> row = row_of(block, all, count);
    const bool agrees = std::all_of(row.begin(), row.end(),
                                    [](const std::string& cell) { return cell == "=" || cell.empty(); });
    const bool same = agrees && !rows.empty() && std::equal(row.begin(), row.end(), rows.back().begin() + 1);
    first = same ? first : block;
    if (same)
      rows.pop_back();
    row.insert(row.begin(), same ? fmt::format("{}-{}", first, block) : std::to_string(block));
    rows.push_back(std::move(row));
  }
  std::string text = text_table(header, rows);
  if (all.size() > count)
    text += fmt::format("  and {} more kinds of tensors that differ\n", all.size() - count);
  return text;
}

}  // namespace parity::checkpoints
