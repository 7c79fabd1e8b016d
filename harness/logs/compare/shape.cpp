// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "harness/base/json/number.hpp"
#include "harness/compare/curves/course.hpp"
#include "harness/compare/curves/pattern.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::logs {
namespace {

using compare::size_text;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Returns |actual - expected| from a position on; empty if one is not finite.
std::vector<double> gaps_from(const CurveDifference& row, size_t first) {
  std::vector<double> gaps;
  for (size_t i = first; i < row.expected.size(); ++i) {
    gaps.push_back(gap_between(row.expected, i, row.actual, i));
    if (!std::isfinite(gaps.back()))
      return {};
  }
  return gaps;
}

/// Returns the offset of the second side, if it is the same at every step.
///
/// The offset must be clear of rounding: 10,000 times as large as the ULPs that it may vary by. The curve
/// must move, because a flat pair has any offset.
std::optional<double> constant_offset(const CurveDifference& row) {
  constexpr double tolerance = 1e-6, clear = 1e4, few_ulps = 4;
  double low = std::numeric_limits<double>::infinity(), high = -low, largest = 0, bottom = low, top = high;
  for (size_t i = 0; i < row.expected.size(); ++i) {
    const double value = row.expected.widened(i), offset = row.actual.widened(i) - value;
    if (!std::isfinite(offset))
      return std::nullopt;
    low = std::min(low, offset), high = std::max(high, offset);
    bottom = std::min(bottom, value), top = std::max(top, value);
    largest = std::max({largest, std::abs(value), std::abs(value + offset)});
  }
  const double epsilon = row.difference.float32_valued
                             ? static_cast<double>(std::numeric_limits<float>::epsilon())
                             : std::numeric_limits<double>::epsilon();
  const double rounding = row.difference.integral ? 0 : few_ulps * epsilon * largest;
  const double size = std::min(std::abs(low), std::abs(high));
  const bool constant = row.expected.size() >= 3 && high - low <= std::max(tolerance * size, rounding);
  return constant && size > clear * rounding && top - bottom > high - low
             ? std::optional(low + (high - low) / 2)
             : std::nullopt;
}

std::string offset_text(const CurveDifference& row) {
  const std::optional<double> offset = constant_offset(row);
  return offset ? fmt::format("{} of the second is the first's {} {:.6g} at every step", row.name,
                              *offset < 0 ? "minus" : "plus", std::abs(*offset))
                : "";
}

/// Says that the curves meet again; "" if fewer than 3 equal steps follow the last difference.
std::string end_text(const CurveDifference& row) {
  constexpr size_t fewest = 3;
  size_t last = row.expected.size() - 1;
  const bool strict = row.difference.differing > 0;
  while (last > *row.difference.first && same_bits(row.expected, last, row.actual, last))
    --last;
  const size_t after = row.expected.size() - 1 - last;
  if (!strict || after < fewest)
    return "";
  const int64_t step = row.expected.steps.at(last);
  if (last == *row.difference.first)
    return fmt::format("{} differs at step {} only, and agrees at the {} steps after it", row.name, step,
                       after);
  return fmt::format("{} differs up to step {} only, and agrees at the {} steps after it", row.name, step,
                     after);
}

std::string growth_text(const CurveDifference& row) {
  constexpr size_t quarters = 4, fewest = 8;
  constexpr double much = 10;
  const size_t first = *row.difference.first;
  const std::vector<double> gaps = gaps_from(row, first);
  if (gaps.size() < fewest || gaps.front() == 0)
    return "";
  double before = -1;
  for (size_t quarter = 0; quarter < quarters; ++quarter) {
    const auto at = [&](size_t q) {
      return gaps.begin() + static_cast<std::ptrdiff_t>(q * gaps.size() / quarters);
    };
    const double now = median({at(quarter), at(quarter + 1)});
    if (now <= before)
      return "";
    before = now;
  }
  const auto largest = std::ranges::max_element(gaps);
  if (*largest < much * gaps.front())
    return "";
  return fmt::format("the gap of {} grows: from {} at step {} to {} at step {}", row.name,
                     size_text(gaps.front()), row.expected.steps.at(first), size_text(*largest),
                     row.expected.steps.at(first + static_cast<size_t>(largest - gaps.begin())));
}

std::string looks_like(const CurveDifference& row) {
  std::string text =
      pattern_text(row.name, "the first", "the second", row.expected, row.actual, row.difference);
  for (const auto& search : {offset_text, end_text, growth_text})
    if (text.empty())
      text = search(row);
  return text;
}

}  // namespace

std::optional<Shape> shape_of(const CurveDifference& row) {
  if (!row.difference.first)
    return std::nullopt;
  const size_t i = *row.difference.first;
  Shape shape;
  shape.step = row.expected.steps.at(i);
  shape.gap = gap_between(row.expected, i, row.actual, i);
  shape.ulp = ulp_at(row.difference, row.expected, row.actual, i);
  shape.float32_valued = row.difference.float32_valued;
  if (const double noise = compare::step_noise(row.expected); noise > 0 && std::isfinite(shape.gap))
    shape.noises = shape.gap / noise;
  shape.looks = looks_like(row);
  return shape;
}

std::string Shape::text() const {
  std::vector<std::string> units;
  if (ulp)
    units.push_back(fmt::format(
        "{} {} ULP{}", *ulp < 10'000'000 ? std::to_string(*ulp) : size_text(static_cast<double>(*ulp)),
        float32_valued ? "float32" : "float64", *ulp == 1 ? "" : "s"));
  if (noises)
    units.push_back(size_text(*noises) + " times the curve's noise from step to step");
  const std::string words = fmt::format("gap {}", size_text(gap));
  return units.empty() ? words : fmt::format("{} ({})", words, fmt::join(units, ", "));
}

Json Shape::to_json() const {
  return {{"gap", json_number(gap)},
          {"ulp", ulp ? Json(*ulp) : Json()},
          {"ulp_of", float32_valued ? "float32" : "float64"},
          {"noises", noises ? json_number(*noises) : Json()},
          {"looks", looks}};
}

}  // namespace parity::logs
