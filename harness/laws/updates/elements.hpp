// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/laws/run/narrow_types.hpp"

namespace parity::laws {

using Vector = std::vector<double>;

/// How recorded elements compare with recomputed ones.
struct ElementFit {
  double worst = 0;    ///< largest error over its bound
  int64_t off = 0;     ///< elements beyond their bound, NaN included
  int64_t first = -1;  ///< the first of them
  bool fits() const { return off == 0; }
};

/// Compares `actual[i]` with `wanted(i)`, which may differ by `bound(i)`.
template <class Wanted, class Bound>
ElementFit compare_elements(const Vector& actual, const Wanted& wanted, const Bound& bound) {
  ElementFit fit;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(actual[i] - wanted(i)), most = bound(i);
    if (!(error <= most)) {
      fit.first = fit.off++ == 0 ? static_cast<int64_t>(i) : fit.first;
      continue;
    }
    if (most > 0)
      fit.worst = std::max(fit.worst, error / most);
  }
  return fit;
}

/// Returns whether rounding hides an update: the moves from `before[i]` to `after(i)` are, in norm, less than
/// four times what `bound(i)` allows.
template <class After, class Bound>
bool is_hidden(const Vector& before, const After& after, const Bound& bound) {
  double moves = 0, bounds = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const double move = after(i) - before[i], most = bound(i);
    moves += move * move;
    bounds += most * most;
  }
  return moves < 16 * bounds;
}

/// Returns whether every element fits; stops at the first that does not.
template <class Wanted, class Bound>
bool all_fit(const Vector& actual, const Wanted& wanted, const Bound& bound) {
  for (size_t i = 0; i < actual.size(); ++i)
    if (!(std::abs(actual[i] - wanted(i)) <= bound(i)))
      return false;
  return true;
}

/// Returns the factor c that brings c x(i) closest to y(i); NaN if all x are 0.
template <class X, class Y>
double best_factor(size_t n, const X& x, const Y& y) {
  double xx = 0, xy = 0;
  for (size_t i = 0; i < n; ++i) {
    xx += x(i) * x(i);
    xy += x(i) * y(i);
  }
  return xy / xx;
}

/// Returns "the parameter after the update was rounded to bfloat16" if it has numbers of a 16-bit type alone,
/// and each of them is next to `step.after(i)`, which itself may miss by `step.bound(i)`; else "".
template <class Step>
std::string describe_rounding(const Vector& after, double roundoff, const Step& step) {
  const NarrowType* type = roundoff < 0x1p-11 ? find_16_bit_type(after) : nullptr;
  const bool fits =
      type && all_fit(
                  after, [&](size_t i) { return step.after(i); },
                  [&](size_t i) {
                    return 2 * type->roundoff * std::abs(step.after(i)) + type->smallest + step.bound(i);
                  });
  return fits ? "the parameter after the update was rounded to " + std::string(type->name) : "";
}

}  // namespace parity::laws
