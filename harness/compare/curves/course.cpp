// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/curves/course.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace parity::compare {

double step_noise(const Series& curve) {
  std::vector<double> bends;
  for (size_t i = 1; i + 1 < curve.size(); ++i)
    if (const double bend = std::abs(curve.widened(i + 1) - 2 * curve.widened(i) + curve.widened(i - 1));
        std::isfinite(bend))
      bends.push_back(bend);
  if (bends.empty())
    return 0;
  const auto middle = bends.begin() + static_cast<std::ptrdiff_t>(bends.size() / 2);
  std::nth_element(bends.begin(), middle, bends.end());
  return std::sqrt(2.0) / 1.652 * *middle;
}

std::optional<double> descent_error(const Series& expected, const Series& actual) {
  const size_t pairs = std::min(expected.size(), actual.size());
  if (pairs < 3)
    return std::nullopt;
  double lowest = expected.widened(0), largest = 0;
  for (size_t i = 0; i < pairs; ++i) {
    const double gap = std::abs(actual.widened(i) - expected.widened(i));
    if (!std::isfinite(gap))
      return std::nullopt;
    lowest = std::min(lowest, expected.widened(i));
    largest = std::max(largest, gap);
  }
  const double descent = expected.widened(0) - lowest;
  return descent > needed_noises * step_noise(expected) ? std::optional(largest / descent) : std::nullopt;
}

std::optional<size_t> divergence_horizon(const Series& expected, const Series& actual,
                                         std::span<const double> band) {
  constexpr size_t running = 3;
  const size_t pairs = std::min({expected.size(), actual.size(), band.size()});
  std::optional<size_t> since;
  for (size_t i = 0; i < pairs; ++i) {
    if (std::abs(actual.widened(i) - expected.widened(i)) <= band[i])
      since.reset();
    else if (!since)
      since = i;
    else if (i - *since + 1 >= running)
      return since;
  }
  return since;
}

}  // namespace parity::compare
