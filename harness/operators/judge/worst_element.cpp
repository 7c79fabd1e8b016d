// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/worst_element.hpp"

#include <algorithm>
#include <cmath>

#include "harness/compare/twins/rounding_size.hpp"

namespace parity::operators {

WorstElement worst_element(const Values& values, const Values& exact, double roundoff) {
  WorstElement worst;
  const double rms = norm(exact) / std::sqrt(static_cast<double>(std::max<size_t>(exact.size(), 1)));
  for (size_t i = 0; i < values.size(); ++i) {
    const double low = exact.low.empty() ? 0 : exact.low[i];
    const double error = std::fabs(values.value[i] - exact.value[i] - low);
    const double unit = roundoff * std::max(std::fabs(exact.value[i]), rms);
    if (const double lost = error == 0 ? 0 : error / unit; lost > worst.roundings)
      worst = {lost, i};
  }
  return worst;
}

bool stands_out(const WorstElement& own, const WorstElement& other, double factor) {
  const double usual = compare::RoundingModel().usual;
  return own.roundings > compare::RoundingSizeRule().alike * factor * std::max(other.roundings, usual);
}

}  // namespace parity::operators
