// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/schedules/curve.hpp"

namespace parity::laws {
namespace {

/// Returns into how many steps the values fall; 0 if they do not fall in steps.
size_t count_falls(const Points& points) {
  const size_t n = points.size();
  const double tolerance = tolerance_of(points);
  size_t begin = static_cast<size_t>(std::ranges::max_element(points.y) - points.y.begin()), falls = 0;
  double factor = 0;
  for (size_t i = begin + 1; i < n; ++i) {
    const double level = points.y[begin];
    if (std::abs(points.y[i] - level) <= tolerance)
      continue;
    const double one = points.y[i] / level;
    if (i - begin < 2 || !(one > 0 && one < 1) || (falls > 0 && std::abs(one - factor) > 1e-6 * factor))
      return 0;
    factor = one;
    begin = i;
    ++falls;
  }
  return falls > 1 ? falls : 0;
}

/// Returns the length of the part that comes three times or more at the end; 0 if none does.
size_t find_period(const Points& points) {
  constexpr size_t shortest = 3;
  const size_t n = points.size();
  const double tolerance = tolerance_of(points);
  const auto same = [&](size_t a, size_t b) { return std::abs(points.y[a] - points.y[b]) <= tolerance; };
  size_t plateau = 1;  // at the end: a part of it repeats without being a cycle
  while (plateau < n && same(n - 1 - plateau, n - 1))
    ++plateau;
  for (size_t period = std::max(shortest, plateau + 1); 3 * period <= n; ++period) {
    size_t first = n;
    while (first > n - 2 * period && same(first - 1, first - 1 - period))
      --first;
    if (first == n - 2 * period)
      return period;
  }
  return 0;
}

}  // namespace

std::string describe_stages(const Points& points) {
  if (const size_t falls = count_falls(points); falls > 0)
    return fmt::format("fall in {} steps", falls);
  if (const size_t period = find_period(points); period > 0)
    return fmt::format("repeat every {} updates", period);
  return "";
}

}  // namespace parity::laws
