// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/tensor_picture.hpp"

#include <algorithm>
#include <cmath>

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

/// Cells [first, last] that hold every difference, along one side of the grid.
struct Extent {
  size_t first = 0, last = 0;
};

/// " rows 32-47" of a side with `size` positions; empty if the differences reach from end to end.
std::string describe_extent(const std::vector<int64_t>& starts, int64_t size, const Extent& extent,
                            const char* noun) {
  if (extent.first == 0 && extent.last + 1 == starts.size())
    return "";
  const int64_t from = starts[extent.first];
  const int64_t to = (extent.last + 1 < starts.size() ? starts[extent.last + 1] : size) - 1;
  return std::string(noun) + (from == to ? " " : "s ") + std::to_string(from) +
         (from == to ? "" : "-" + std::to_string(to));
}

std::string describe_extents(const TensorPicture& picture) {
  Extent rows{picture.row_starts.size(), 0}, columns{picture.column_starts.size(), 0};
  for (size_t r = 0; r < picture.cells.size(); ++r)
    for (size_t c = 0; c < picture.cells[r].size(); ++c)
      if (picture.cells[r][c] != 0) {
        rows = {std::min(rows.first, r), std::max(rows.last, r)};
        columns = {std::min(columns.first, c), std::max(columns.last, c)};
      }
  const std::string row_words = describe_extent(picture.row_starts, picture.rows, rows, "row");
  const std::string column_words = describe_extent(picture.column_starts, picture.columns, columns,
                                                   picture.estimated ? "flat element" : "column");
  if (row_words.empty() && column_words.empty())
    return "";
  return ", all in " + row_words + (row_words.empty() || column_words.empty() ? "" : ", ") + column_words;
}

}  // namespace

std::string describe_shape(const TensorPicture& picture) {
  std::string words;
  for (const int64_t size : picture.shape)
    words += (words.empty() ? "" : " × ") + std::to_string(size);
  return words.empty() ? "scalar" : words;
}

std::string picture_sentence(const TensorPicture& picture, const std::string& place) {
  double largest = 0;
  bool nan = false;
  for (const std::vector<double>& row : picture.cells)
    for (const double cell : row) {
      nan = nan || std::isnan(cell);
      largest = std::max(largest, cell);
    }
  const size_t differing = picture.differing();
  const std::string part = picture.estimated ? "block" : "cell";
  std::string text = one_line(picture.phase + " " + picture.tensor) + " (" + describe_shape(picture) +
                     ") at " + (place.empty() ? "update " + std::to_string(picture.step) : one_line(place)) +
                     ": ";
  if (differing == picture.count())
    text += picture.count() == 1 ? "differs" : "differs in every " + part;
  else
    text += "differs in " + std::to_string(differing) + " of " + reports::count(picture.count(), part) +
            describe_extents(picture);
  if (largest > 0)
    text += "; largest " + brief(largest);
  return text + (nan ? "; not a number on one side" : "") + (picture.estimated ? " (from sketches)" : "");
}

}  // namespace parity::reports
