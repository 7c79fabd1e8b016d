// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/common_factor.hpp"

#include <algorithm>
#include <cmath>

namespace parity::operators {
namespace {

constexpr double shared_roundings = 2;
constexpr double deviations = 6;

}  // namespace

double CommonFactor::roundings(double roundoff) const {
  return std::fabs(offset) / roundoff;
}

CommonFactor common_factor(const Values& values, const Values& exact) {
  double along = 0, squares = 0, size = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double low = exact.low.empty() ? 0 : exact.low[i];
    const double product = (values.value[i] - exact.value[i] - low) * exact.value[i];
    along += product;
    squares += product * product;
    size += exact.value[i] * exact.value[i];
  }
  return size == 0 ? CommonFactor() : CommonFactor{along / size, std::sqrt(squares) / size};
}

bool is_scaled(const CommonFactor& own, const CommonFactor& other, double roundoff, double factor) {
  const double allowed = factor * std::max(shared_roundings, 2 * other.roundings(roundoff));
  return own.roundings(roundoff) > allowed && std::fabs(own.offset) > deviations * own.chance;
}

}  // namespace parity::operators
