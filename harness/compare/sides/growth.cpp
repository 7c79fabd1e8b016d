// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/growth.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace parity::compare {
namespace {

constexpr size_t least_points = 3;
constexpr double needed_gain = 0.25;
/// Sums of squared logarithms below this value are the rounding error of the fit itself.
constexpr double resolution = 1e-20;

struct Point {
  double step, log;
};

struct Line {
  double intercept = 0, slope = 0, left = 0;  ///< left: sum of squared residuals
};

Line fit_line(std::span<const Point> points) {
  const auto n = static_cast<double>(points.size());
  double step = 0, log = 0;
  for (const Point& point : points) {
    step += point.step / n;
    log += point.log / n;
  }
  double squares = 0, products = 0;
  for (const Point& point : points) {
    squares += (point.step - step) * (point.step - step);
    products += (point.step - step) * (point.log - log);
  }
  Line line;
  line.slope = squares > 0 ? products / squares : 0;
  line.intercept = log - line.slope * step;
  for (const Point& point : points) {
    const double residual = point.log - line.intercept - line.slope * point.step;
    line.left += residual * residual;
  }
  return line;
}

Line fit_level(std::span<const Point> points) {
  Line level;
  for (const Point& point : points)
    level.intercept += point.log / static_cast<double>(points.size());
  for (const Point& point : points)
    level.left += (point.log - level.intercept) * (point.log - level.intercept);
  return level;
}

}  // namespace

double Growth::at(int64_t step) const {
  return known() ? std::min(initial * std::exp(rate * static_cast<double>(step)), saturation) : 0;
}

Growth fit_growth(const std::vector<GrowthPoint>& points) {
  std::vector<Point> logs;
  for (const GrowthPoint& point : points)
    if (point.difference > 0 && std::isfinite(point.difference))
      logs.push_back({static_cast<double>(point.step), std::log(point.difference)});
  std::sort(logs.begin(), logs.end(), [](const Point& a, const Point& b) { return a.step < b.step; });
  Growth growth;
  growth.points = logs.size();
  if (!growth.known())
    return growth;
  const std::span<const Point> all = logs;
  Line best = fit_line(all);
  double least = needed_gain * best.left;
  for (size_t rising = least_points; rising + least_points <= logs.size(); ++rising) {
    const Line line = fit_line(all.first(rising));
    const Line level = fit_level(all.subspan(rising));
    if (line.slope > 0 && line.left + level.left + resolution < least) {
      least = line.left + level.left;
      best = line;
      growth.saturation = std::exp(level.intercept);
    }
  }
  growth.initial = std::exp(best.intercept);
  growth.rate = best.slope;
  return growth;
}

}  // namespace parity::compare
