// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/heat_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

constexpr int heats = 16;  // classes heat-0 to heat-15 of search.css

/// Returns the colour of a difference: one of `heats` steps between the smallest and the largest, by their
/// logarithms.
int heat_of(double value, const std::pair<double, double>& range) {
  const double low = std::log10(range.first), high = std::log10(range.second);
  if (!(high > low))
    return heats - 1;
  return std::clamp(static_cast<int>((std::log10(value) - low) / (high - low) * heats), 0, heats - 1);
}

/// Returns where the cells of one side of the grid begin, as fractions of the tensor's side.
std::vector<double> edges(const std::vector<int64_t>& starts, int64_t size) {
  std::vector<double> result;
  for (const int64_t start : starts)
    result.push_back(static_cast<double>(start) / static_cast<double>(size));
  result.push_back(1);
  return result;
}

std::vector<Chart::Label> heat_labels(int64_t size, int most) {
  std::vector<Chart::Label> result;
  for (const double number : round_numbers(0, static_cast<double>(size), most, 1))
    result.push_back({exact(Json(std::llround(number))), number / static_cast<double>(size)});
  return result;
}

std::string rectangle(double left, double top, double right, double bottom) {
  return "M" + point(left, top) + "L" + point(right, top) + "L" + point(right, bottom) + "L" +
         point(left, bottom) + "z";
}

/// Adds a ring around the middle of the element; nothing if the index is outside the tensor.
void add_ring(Chart& chart, const TensorPicture& picture, const std::vector<int64_t>& worst) {
  if (worst.empty() || worst.size() != picture.shape.size() || picture.estimated)
    return;
  int64_t row = 0;
  for (size_t i = 0; i < worst.size(); ++i) {
    if (worst[i] < 0 || worst[i] >= picture.shape[i])
      return;
    if (i + 1 < worst.size())
      row = row * picture.shape[i] + worst[i];
  }
  chart.rings.push_back({(static_cast<double>(worst.back()) + 0.5) / static_cast<double>(picture.columns),
                         (static_cast<double>(row) + 0.5) / static_cast<double>(picture.rows)});
}

}  // namespace

std::optional<std::pair<double, double>> heat_range(const TensorPicture& picture) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (const std::vector<double>& row : picture.cells)
    for (const double cell : row)
      if (cell > 0 && std::isfinite(cell)) {
        smallest = std::min(smallest, cell);
        largest = std::max(largest, cell);
      }
  return largest > 0 ? std::optional(std::pair(smallest, largest)) : std::nullopt;
}

Chart heat_chart(const TensorPicture& picture, const std::vector<int64_t>& worst) {
  Chart chart;
  const bool is_strip = picture.row_starts.size() < 4;
  chart.look = is_strip ? "heat-map strip" : "heat-map";
  chart.words = "Map of the differences. " + picture_sentence(picture);
  chart.x_title = picture.estimated ? "flat element" : "column";
  chart.y_title = is_strip ? "" : "row";
  chart.x_ticks = heat_labels(picture.columns, 5);
  if (!is_strip)
    chart.y_ticks = heat_labels(picture.rows, 5);
  const auto range = heat_range(picture);
  const std::vector<double> lefts = edges(picture.column_starts, picture.columns);
  const std::vector<double> tops = edges(picture.row_starts, picture.rows);
  std::map<int, std::string> cells;  // by colour; heats = not finite
  for (size_t r = 0; r < picture.cells.size(); ++r)
    for (size_t c = 0; c < picture.cells[r].size(); ++c) {
      const double cell = picture.cells[r][c];
      if (cell <= 0)
        continue;  // equal
      cells[std::isfinite(cell) ? heat_of(cell, *range) : heats] +=
          rectangle(lefts[c], tops[r], lefts[c + 1], tops[r + 1]);
    }
  for (const auto& [heat, d] : cells)
    chart.paths.push_back({heat == heats ? "cell no-number" : fmt::format("cell heat-{}", heat), d});
  add_ring(chart, picture, worst);
  return chart;
}

}  // namespace parity::reports
