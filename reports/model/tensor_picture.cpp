// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/tensor_picture.hpp"

#include <algorithm>
#include <cmath>

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_cells = 128;  // per side; a page that draws more becomes unusable

std::vector<int64_t> integers(const JsonNode& node) {
  std::vector<int64_t> numbers;
  for (const JsonNode& item : node.items())
    numbers.push_back(item.integer());
  return numbers;
}

/// Returns the first row (or column) of each cell.
std::vector<int64_t> starts(const JsonNode& node, int64_t size) {
  std::vector<int64_t> first = integers(node);
  node.expect(!first.empty() && first.size() <= most_cells && first.front() == 0 && first.back() < size &&
                  std::ranges::adjacent_find(first, std::ranges::greater_equal{}) == first.end(),
              "a rising list of 1 to " + std::to_string(most_cells) + " positions from 0 to below " +
                  std::to_string(size));
  return first;
}

std::vector<double> numbers(const JsonNode& node, size_t columns) {
  std::vector<double> row;
  for (const JsonNode& item : node.items())
    row.push_back(item.number());
  node.expect(row.size() == columns, "as long as column_starts");
  return row;
}

/// The cells [first, last] that contain every difference, along one side of the grid.
struct Extent {
  size_t first = 0, last = 0;
};

/// Returns " rows 32-47" for a side with `size` positions; empty if the differences reach from end to end.
std::string extent_words(const std::vector<int64_t>& starts, int64_t size, const Extent& extent,
                         const char* noun) {
  if (extent.first == 0 && extent.last + 1 == starts.size())
    return "";
  const int64_t from = starts[extent.first];
  const int64_t to = (extent.last + 1 < starts.size() ? starts[extent.last + 1] : size) - 1;
  return std::string(noun) + (from == to ? " " : "s ") + std::to_string(from) +
         (from == to ? "" : "-" + std::to_string(to));
}

std::string where_words(const TensorPicture& picture) {
  Extent rows{picture.row_starts.size(), 0}, columns{picture.column_starts.size(), 0};
  for (size_t r = 0; r < picture.cells.size(); ++r)
    for (size_t c = 0; c < picture.cells[r].size(); ++c)
      if (picture.cells[r][c] != 0) {
        rows = {std::min(rows.first, r), std::max(rows.last, r)};
        columns = {std::min(columns.first, c), std::max(columns.last, c)};
      }
  const std::string row_words = extent_words(picture.row_starts, picture.rows, rows, "row");
  const std::string column_words = extent_words(picture.column_starts, picture.columns, columns,
                                                picture.estimated ? "flat element" : "column");
  if (row_words.empty() && column_words.empty())
    return "";
  return ", all in " + row_words + (row_words.empty() || column_words.empty() ? "" : ", ") + column_words;
}

}  // namespace

std::string TensorPicture::shape_words() const {
  std::string words;
  for (const int64_t size : shape)
    words += (words.empty() ? "" : " × ") + std::to_string(size);
  return words.empty() ? "scalar" : words;
}

size_t TensorPicture::differing() const {
  size_t number = 0;
  for (const std::vector<double>& row : cells)
    number += static_cast<size_t>(std::ranges::count_if(row, [](double cell) { return cell != 0; }));
  return number;
}

TensorPicture read_tensor_picture(const JsonNode& node) {
  TensorPicture picture;
  picture.step = node.at("step").integer();
  picture.phase = node.at("phase").text();
  picture.tensor = node.at("tensor").text();
  picture.shape = integers(node.at("shape"));
  if (const auto estimated = node.find("estimated"))
    picture.estimated = estimated->flag();
  picture.rows = node.at("rows").integer();
  picture.columns = node.at("columns").integer();
  picture.row_starts = starts(node.at("row_starts"), picture.rows);
  picture.column_starts = starts(node.at("column_starts"), picture.columns);
  for (const JsonNode& row : node.at("cells").items())
    picture.cells.push_back(numbers(row, picture.column_starts.size()));
  node.at("cells").expect(picture.cells.size() == picture.row_starts.size(), "as long as row_starts");
  return picture;
}

std::string picture_sentence(const TensorPicture& picture) {
  double largest = 0;
  bool nan = false;
  for (const std::vector<double>& row : picture.cells)
    for (const double cell : row) {
      nan = nan || std::isnan(cell);
      largest = std::max(largest, cell);
    }
  const size_t differing = picture.differing();
  const std::string part = picture.estimated ? "block" : "cell";
  std::string text = one_line(picture.phase + " " + picture.tensor) + " (" + picture.shape_words() +
                     ") at update " + std::to_string(picture.step) + ": ";
  if (differing == picture.count())
    text += picture.count() == 1 ? "differs" : "differs in every " + part;
  else
    text += "differs in " + std::to_string(differing) + " of " + reports::count(picture.count(), part) +
            where_words(picture);
  if (largest > 0)
    text += "; largest " + brief(largest);
  return text + (nan ? "; not a number on one side" : "") + (picture.estimated ? " (from sketches)" : "");
}

}  // namespace parity::reports
