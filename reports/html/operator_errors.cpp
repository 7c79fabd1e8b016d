// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/operator_errors.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/base/json/number.hpp"

namespace parity::reports {
namespace {

using results::OperatorErrors;
using results::OperatorRow;

// Units of the drawings: see details.mustache.
constexpr double left = 34, right = 250, top = 8, bottom = 92;
constexpr double least = 0.25, most = 0x1p21;  // errors at the ends of the scale [ULP]

/// Returns the height of an error: 0 is at the bottom, beyond the scale at its top.
double height_of(double ulp) {
  if (!(ulp > least))
    return std::isnan(ulp) ? top : bottom;
  const double part = std::log2(std::min(ulp, most) / least) / std::log2(most / least);
  return bottom - part * (bottom - top);
}

std::string number_text(double value) {
  return fmt::format("{:.1f}", value);
}

/// A dimension of a sweep: its values in order, and that of each row.
struct Dimension {
  std::string name;
  std::vector<std::string> values = {};
  std::vector<size_t> of_row = {};
};

/// Returns the dimension of a symbol.
Dimension dimension_of(const OperatorErrors& errors, const std::string& symbol) {
  std::vector<int64_t> sizes;
  for (const OperatorRow& row : errors.rows)
    for (const auto& [name, size] : row.sizes)
      if (name == symbol)
        sizes.push_back(size);
  const std::set<int64_t> sorted(sizes.begin(), sizes.end());
  Dimension dimension{symbol};
  for (const int64_t size : sorted)
    dimension.values.push_back(std::to_string(size));
  for (const int64_t size : sizes)
    dimension.of_row.push_back(static_cast<size_t>(std::distance(sorted.begin(), sorted.find(size))));
  return dimension;
}

/// Returns the dimension of a text that each row has: dtype, tensor.
template <class Get>
Dimension dimension_of_text(const OperatorErrors& errors, const std::string& name, const Get& get) {
  Dimension dimension{name};
  for (const OperatorRow& row : errors.rows) {
    const std::string value = get(row);
    auto place = std::ranges::find(dimension.values, value);
    if (place == dimension.values.end())
      place = dimension.values.insert(place, value);
    dimension.of_row.push_back(static_cast<size_t>(place - dimension.values.begin()));
  }
  return dimension;
}

/// Returns every dimension with two values or more, that of tensors first.
std::vector<Dimension> dimensions_of(const OperatorErrors& errors) {
  std::vector<Dimension> all = {
      dimension_of_text(
          errors, "tensor",
          [](const OperatorRow& row) { return (row.phase == "grad" ? "grad " : "") + row.tensor; }),
      dimension_of_text(errors, "dtype", [](const OperatorRow& row) { return row.dtype; })};
  if (!errors.rows.empty())
    for (const auto& [symbol, size] : errors.rows.front().sizes)
      all.push_back(dimension_of(errors, symbol));
  std::erase_if(all, [&](const Dimension& one) {
    return one.values.size() < 2 || one.of_row.size() != errors.rows.size();
  });
  return all;
}

Data chart_data(const OperatorErrors& errors, const Dimension& dimension) {
  const double step = (right - left) / static_cast<double>(dimension.values.size());
  Data points = list(), labels = list();
  for (size_t i = 0; i < errors.rows.size(); ++i) {
    if (errors.rows[i].largest.is_null())
      continue;
    Data point = pair("x", number_text(left + step * (static_cast<double>(dimension.of_row[i]) + 0.5)), "y",
                      number_text(height_of(parity::number_of(errors.rows[i].largest))));
    point.set("state", errors.rows[i].passed ? "pass" : "fail");
    points.push_back(point);
  }
  for (size_t i = 0; i < dimension.values.size(); ++i)
    labels.push_back(pair("x", number_text(left + step * (static_cast<double>(i) + 0.5)), "label",
                          text_of(dimension.values[i])));
  Data chart;
  chart.set("name", text_of(dimension.name));
  chart.set("points", points);
  chart.set("labels", labels);
  return chart;
}

/// Returns the upper end of a bin: "0", "1/2", "1", ..., "2^20", "more".
std::string bin_label(size_t bin, size_t bins) {
  if (bin < 2)
    return bin == 0 ? "0" : "1/2";
  if (bin + 1 == bins)
    return "more";
  return bin < 6 ? std::to_string(1 << (bin - 2)) : fmt::format("2^{}", bin - 2);
}

/// Returns whether a bin's label is drawn. There is no room for all of many.
bool shows_label(size_t bin, size_t used) {
  return used <= 8 || bin % (used <= 14 ? 2 : 4) == 0;
}

/// Returns the bars up to the last bin that is not empty. Heights are logarithms, so that one element shows.
Data histogram_data(const std::vector<int64_t>& histogram) {
  size_t used = histogram.size();
  while (used > 0 && histogram[used - 1] == 0)
    --used;
  const int64_t all = *std::ranges::max_element(histogram);
  const double step = (right - left) / static_cast<double>(std::max<size_t>(used, 1));
  Data bars = list();
  for (size_t bin = 0; bin < used; ++bin) {
    const double part = histogram[bin] == 0 ? 0
                                            : (1 + std::log2(static_cast<double>(histogram[bin]))) /
                                                  (1 + std::log2(static_cast<double>(all)));
    const double height = part * (bottom - top);
    Data bar =
        pair("x", number_text(left + step * static_cast<double>(bin) + 1), "y", number_text(bottom - height));
    bar.set("width", number_text(std::max(step - 2, 1.0)));
    bar.set("height", number_text(height));
    bar.set("center", number_text(left + step * (static_cast<double>(bin) + 0.5)));
    bar.set("label", bin_label(bin, histogram.size()));
    bar.set("shown", shows_label(bin, used) ? bin_label(bin, histogram.size()) : "");
    bar.set("count", std::to_string(histogram[bin]));
    bars.push_back(bar);
  }
  return bars;
}

}  // namespace

void set_operator_errors(Data& data, const OperatorErrors& errors) {
  Data charts = list(), controls = list();
  const bool measured = std::ranges::any_of(errors.histogram, [](int64_t count) { return count > 0; });
  if (measured)
    for (const Dimension& dimension : dimensions_of(errors))
      charts.push_back(chart_data(errors, dimension));
  for (const auto& [name, answer] : errors.controls)
    controls.push_back(pair("name", text_of(name), "answer", text_of(answer)));
  data.set("against", text_of(errors.against));
  data.set("charts", charts);
  data.set("has_bars", measured);
  if (measured)
    data.set("bars", histogram_data(errors.histogram));
  data.set("has_controls", !errors.controls.empty());
  data.set("controls", controls);
  data.set("reproducer", optional(text_of(errors.reproducer)));
}

}  // namespace parity::reports
