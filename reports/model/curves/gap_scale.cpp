// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/curves/gap_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parity::reports {
namespace {

constexpr int most_ticks = 5;

/// The range of values to show.
struct Range {
  double smallest = std::numeric_limits<double>::infinity();  ///< above 0
  double largest = 0;
  bool zeros = false, not_finite = false;

  /// Adds values above 0. A floor or bound of 0 demands equal bits, and is not drawn as a line.
  void take_positive(const std::vector<Value>& values) {
    for (const Value& value : values)
      if (has_place(value))
        take({value});
  }

  void take(const std::vector<Value>& values) {
    for (const Value& value : values) {
      if (!value)
        continue;
      zeros = zeros || *value == 0;
      not_finite = not_finite || !std::isfinite(*value);
      if (std::isfinite(*value) && *value > 0) {
        smallest = std::min(smallest, *value);
        largest = std::max(largest, *value);
      }
    }
  }
};

}  // namespace

bool has_place(const Value& value) {
  return value && std::isfinite(*value) && *value > 0;
}

bool has_floors(const Curve& curve) {
  return std::ranges::any_of(curve.bounds,
                             [](const Bound& bound) { return std::ranges::any_of(bound.floor, has_place); });
}

double GapScale::place(double gap) const {
  return !std::isfinite(gap) ? beyond : gap > 0 ? gap : zero;
}

GapScale gap_scale(const Curve& curve) {
  Range range;
  for (const Series& gap : curve.gap)
    range.take(gap.values);
  if (!has_floors(curve))
    range.take(curve.floor);
  for (const Bound& bound : curve.bounds) {
    if (!bound.to_reference)
      range.take(bound.gap);
    range.take_positive(bound.floor);
    range.take_positive(bound.limit);
  }
  GapScale scale;
  if (range.largest == 0) {
    scale = {.bottom = 0.1, .top = 1000, .zero = 1, .beyond = 100, .ticks = {{"0", 1}}};
  } else {
    const int low = static_cast<int>(std::floor(std::log10(range.smallest)));
    const int high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(range.largest))));
    const int step = std::max(1, (high - low + most_ticks - 1) / most_ticks);
    const auto power = [](double exponent) { return std::pow(10.0, exponent); };
    scale.zero = power(low - step);
    scale.beyond = power(high + step);
    scale.bottom = power(low - (range.zeros ? 1.6 * step : 0.2));
    scale.top = power(high + (range.not_finite ? 1.6 * step : 0.25));
    if (range.zeros)
      scale.ticks.emplace_back("0", scale.zero);
    for (int decade = low; decade <= high; decade += step)
      scale.ticks.emplace_back("1e" + std::to_string(decade), power(decade));
  }
  if (range.not_finite)
    scale.ticks.emplace_back("nan", scale.beyond);
  return scale;
}

}  // namespace parity::reports
