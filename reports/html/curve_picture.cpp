// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/curve_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "reports/model/checks/label.hpp"

namespace parity::reports {
namespace {

// Units of the drawing: see curve_picture.mustache.
constexpr double picture_width = 300, values_top = 4, values_bottom = 58, gap_top = 66, gap_bottom = 94;
constexpr double smallest_decade = -10, largest_decade = 1;
constexpr size_t colours = 7;  ///< in report.css

/// Later rounds reuse the colours except the first, which is the broad line of the reference.
size_t colour_of(size_t arm) {
  return arm < colours ? arm : 1 + (arm - colours) % (colours - 1);
}

struct ValueSpan {
  double low = 0, high = 1;
};

ValueSpan range_of_values(const std::vector<Series>& all) {
  std::optional<ValueSpan> range;
  for (const Series& one : all)
    for (const Value& value : one.values)
      if (value && std::isfinite(*value))
        range = range ? ValueSpan{std::min(range->low, *value), std::max(range->high, *value)}
                      : ValueSpan{*value, *value};
  return range.value_or(ValueSpan{});
}

double place_of_value(double value, const ValueSpan& range) {
  if (!std::isfinite(value))
    return values_top;
  const double span = range.high - range.low;
  const double part = span > 0 ? value / span - range.low / span : 0.5;
  return values_bottom - part * (values_bottom - values_top);
}

double place_of_gap(double gap) {
  if (std::isnan(gap))
    return gap_top;
  if (gap <= 0)
    return gap_bottom;
  const double part = (std::log10(gap) - smallest_decade) / (largest_decade - smallest_decade);
  return gap_bottom - 2 - std::clamp(part, 0.0, 1.0) * (gap_bottom - gap_top - 2);
}

/// Returns a line through the given values, interrupted where one is missing. A lone point becomes a short
/// line.
template <class Place>
std::string path_through(const std::vector<Value>& values, Place place) {
  const double step = values.size() > 1 ? picture_width / static_cast<double>(values.size() - 1) : 0;
  std::string d;
  bool drawing = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) {
      const double x = step * static_cast<double>(i), y = place(*values[i]);
      d += fmt::format("{}{:.0f} {:.0f}", drawing ? " " : "M", x, y);
      if (!drawing)
        d += "h1L" + fmt::format("{:.0f} {:.0f}", x, y);
    }
    drawing = values[i].has_value();
  }
  return d;
}

/// Returns crosses where a value is NaN or infinite.
std::string crosses(const std::vector<Value>& values, double top) {
  const double step = values.size() > 1 ? picture_width / static_cast<double>(values.size() - 1) : 0;
  std::string d;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] && !std::isfinite(*values[i]))
      d += fmt::format("M{:.0f} {:.0f}l8 8m0-8l-8 8", std::max(0.0, step * static_cast<double>(i) - 8), top);
  return d;
}

class Picture {
 public:
  explicit Picture(const CaseLine& item)
      : item_(item), curve_(*item.curve), range_(range_of_values(curve_.series)) {}

  Data data() {
    for (const Series& series : curve_.series)
      add(look_of(series.arm),
          path_through(series.values, [&](double value) { return place_of_value(value, range_); }));
    for (const Series& series : curve_.gap)
      add(look_of(series.arm) + " gap", path_through(series.values, place_of_gap));
    for (const Series& series : curve_.series)
      add("bad", crosses(series.values, values_top));
    Data result = pair("words", describe(), "gap", gap_label());
    result.set("paths", paths_);
    return result;
  }

 private:
  void add(const std::string& look, const std::string& d) {
    if (!d.empty())
      paths_.push_back(pair("look", look, "d", d));
  }

  std::string look_of(const std::string& arm) const {
    const auto place = std::ranges::find(item_.arms, arm) - item_.arms.begin();
    return "a" + std::to_string(colour_of(static_cast<size_t>(place)));
  }

  /// Returns the largest gap of all arms; NaN counts as larger than any number.
  std::optional<double> largest_gap() const {
    std::optional<double> largest;
    for (const Series& series : curve_.gap)
      for (const Value& value : series.values)
        if (value && (!largest || std::isnan(*value) || *value > *largest))
          largest = value;
    return largest;
  }

  std::string gap_label() const {
    const std::optional<double> gap = largest_gap();
    return !gap ? "" : *gap == 0 ? "gap 0" : fmt::format("gap {:.2g}", *gap);
  }

  std::string describe() const {
    std::string arms;
    for (const Series& series : curve_.series)
      arms += (arms.empty() ? "" : ", ") + shorten(series.arm, 60);
    const std::string gap = gap_label();
    const std::string steps =
        curve_.steps.empty() ? ""
                             : fmt::format(" over steps {} to {}", curve_.steps.front(), curve_.steps.back());
    return shorten(curve_.channel, 60) + " of " + arms + steps + (gap.empty() ? "" : ", largest " + gap);
  }

  const CaseLine& item_;
  const Curve& curve_;
  ValueSpan range_;
  Data paths_ = list();
};

}  // namespace

Data curve_picture(const CaseLine& item) {
  Data pictures = list();
  if (item.curve && !item.curve->series.empty())
    pictures.push_back(Picture(item).data());
  return pictures;
}

}  // namespace parity::reports
