// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/curve_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/model/checks/label.hpp"
#include "reports/model/curves/gap_label.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

constexpr size_t most_dotted = 80;  // steps; more dots than these hide the line
constexpr double margin = 0.03;

/// Step -> fraction of the frame's width.
class Across {
 public:
  explicit Across(const std::vector<int64_t>& steps)
      : first_(static_cast<double>(steps.front())), last_(static_cast<double>(steps.back())) {}

  double place(double step) const {
    return last_ > first_ ? margin + (1 - 2 * margin) * (step - first_) / (last_ - first_) : 0.5;
  }
  std::vector<Chart::Label> labels() const {
    std::vector<Chart::Label> result;
    for (const double step : round_numbers(first_, last_, 8, 1))
      result.push_back({exact(Json(std::llround(step))), place(step)});
    return result;
  }

 private:
  double first_, last_;
};

std::vector<double> lefts_of(const Curve& curve) {
  const Across across(curve.steps);
  std::vector<double> lefts;
  for (const int64_t step : curve.steps)
    lefts.push_back(across.place(static_cast<double>(step)));
  return lefts;
}

/// Returns the smallest and the largest number of all sides, with some margin.
std::pair<double, double> range_of(const Curve& curve) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& side : curve.series)
    for (const Value& value : side.values)
      if (value && std::isfinite(*value)) {
        low = std::min(low, *value);
        high = std::max(high, *value);
      }
  if (!(low <= high))
    return {0, 1};
  const double room = high > low ? 0.06 * (high - low) : std::max(1e-9, 0.05 * std::abs(high));
  return {low - room, high + room};
}

Chart over_steps(const Curve& curve) {
  const Across across(curve.steps);
  Chart chart;
  chart.x_ticks = across.labels();
  return chart;
}

void add(Chart& chart, const Curve& curve, const std::vector<Value>& tops, const std::string& look) {
  const std::vector<double> lefts = lefts_of(curve);
  chart.paths.push_back({"line " + look, line_through(lefts, tops)});
  if (curve.steps.size() <= most_dotted)
    chart.paths.push_back({"dots " + look, dots_at(lefts, tops)});
}

/// Adds dots at the top of the frame where a side is not finite.
void add_lost(Chart& chart, const Curve& curve, const std::vector<Value>& values) {
  std::vector<Value> tops;
  for (const Value& value : values)
    tops.push_back(value && !std::isfinite(*value) ? Value(0.03) : Value());
  if (const std::string d = dots_at(lefts_of(curve), tops); !d.empty())
    chart.paths.push_back({"dots lost", d});
}

std::string words_of(const Curve& curve) {
  return curve.channel + " of " + curve.series[0].arm + " and " + curve.series[1].arm + " over steps " +
         std::to_string(curve.steps.front()) + " to " + std::to_string(curve.steps.back());
}

}  // namespace

Chart value_chart(const Curve& curve) {
  Chart chart = over_steps(curve);
  const auto [low, high] = range_of(curve);
  chart.look = "values";
  chart.words = words_of(curve);
  for (const double number : round_numbers(low, high, 5))
    chart.y_ticks.push_back({brief(number), (high - number) / (high - low)});
  for (size_t side = 0; side < curve.series.size(); ++side) {
    std::vector<Value> tops;
    for (const Value& value : curve.series[side].values)
      tops.push_back(value && std::isfinite(*value) ? Value((high - *value) / (high - low)) : Value());
    add(chart, curve, tops, "side-" + std::to_string(side));
    add_lost(chart, curve, curve.series[side].values);
  }
  return chart;
}

Chart gap_chart(const Curve& curve) {
  Chart chart = over_steps(curve);
  const GapScale scale = gap_scale(curve);
  chart.look = "gaps";
  chart.x_title = "step";
  chart.words = "Distance of " + words_of(curve);
  for (const std::string& label : gap_labels(curve))
    chart.words += "; " + label;
  chart.y_ticks = labels_of(scale);
  for (const Series& gap : curve.gap)
    add(chart, curve, places_of(gap.values, scale), "side-1");
  return chart;
}

}  // namespace parity::reports
