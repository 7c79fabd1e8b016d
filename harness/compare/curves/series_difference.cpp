// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/curves/series_difference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// Returns the distance of METRICS.md M1. It maps bit patterns to integers in the order of the values, -0
/// onto +0.
template <class Float, class Int, class Unsigned>
Unsigned ulp_distance(Float a, Float b) {
  const auto key = [](Float value) {
    const Int bits = std::bit_cast<Int>(value);
    return static_cast<Unsigned>(bits >= 0 ? bits : std::numeric_limits<Int>::min() - bits);
  };
  const auto order = [](Float x, Float y) { return x < y; };
  return order(a, b) ? key(b) - key(a) : key(a) - key(b);
}

/// Returns a number under a policy: with subnormals or the sign of zero removed, if the policy ignores them.
double under(const measure::DifferencePolicy& policy, double value, bool float32_valued) {
  const int kind = float32_valued ? std::fpclassify(static_cast<float>(value)) : std::fpclassify(value);
  if (policy.subnormal == measure::DifferencePolicy::Subnormal::as_zero && kind == FP_SUBNORMAL)
    value = std::copysign(0.0, value);
  return policy.zero_sign == measure::DifferencePolicy::ZeroSign::ignored && value == 0 ? 0.0 : value;
}

}  // namespace

double relative_gap(double gap, double scale) {
  if (scale == 0)
    return gap == 0 ? 0 : gap * std::numeric_limits<double>::infinity();
  return gap / scale;
}

SeriesDifference measure_series(const Series& expected, const Series& actual) {
  require(expected.size() == actual.size(), "measure_series needs series of one length");
  SeriesDifference found;
  found.count = expected.size();
  found.types_differ = expected.integral() != actual.integral();
  found.integral = expected.integral() || actual.integral();
  found.float32_valued = expected.float32_valued() && actual.float32_valued();
  double gap_squared = 0, norm_squared = 0, worst = -1, largest_gap = 0, largest = 0;
  for (size_t i = 0; i < found.count; ++i) {
    const double e = expected.widened(i);
    const double a = actual.widened(i);
    found.nan_count += (std::isnan(e) ? 1 : 0) + (std::isnan(a) ? 1 : 0);
    found.inf_count += (std::isinf(e) ? 1 : 0) + (std::isinf(a) ? 1 : 0);
    const bool same = same_bits(expected, i, actual, i);
    const double gap = same ? 0 : std::abs(a - e);
    norm_squared += e * e;
    largest = std::max(largest, std::abs(e));
    if (same)
      continue;
    ++found.differing;
    found.first = found.first.value_or(i);
    gap_squared += gap * gap;
    largest_gap = !(gap <= largest_gap) ? gap : largest_gap;
    found.needed_rtol = std::max(found.needed_rtol, relative_gap(gap, std::abs(e)));
    found.max_ulp = std::max(found.max_ulp, ulp_at(found, expected, actual, i).value_or(0));
    if (!(gap <= worst) && !std::isnan(worst)) {
      worst = gap;
      found.worst = i;
    }
  }
  found.gap = std::sqrt(gap_squared);
  found.norm = std::sqrt(norm_squared);
  found.relative_l2 = relative_gap(found.gap, found.norm);
  found.relative_linf = relative_gap(largest_gap, largest);
  if (found.nan_count > 0)
    found.relative_linf = found.needed_rtol = std::numeric_limits<double>::quiet_NaN();
  return found;
}

SeriesDifference measure_series(const Series& expected, const Series& actual,
                                const measure::DifferencePolicy& policy) {
  if (policy.strict() || expected.integral() || actual.integral())
    return measure_series(expected, actual);
  Series e = expected, a = actual;
  std::vector<double>& left = std::get<0>(e.values);
  std::vector<double>& right = std::get<0>(a.values);
  size_t forgiven = 0;
  for (size_t i = 0; i < left.size() && i < right.size(); ++i)
    if (policy.nan == measure::DifferencePolicy::Nan::equal_if_both && std::isnan(left[i]) &&
        std::isnan(right[i])) {
      left[i] = right[i] = 0;
      forgiven += 2;
    }
  const bool float32_valued = e.float32_valued() && a.float32_valued();
  for (std::vector<double>* side : {&left, &right})
    for (double& value : *side)
      value = under(policy, value, float32_valued);
  SeriesDifference found = measure_series(e, a);
  found.nan_count += forgiven;
  return found;
}

std::optional<uint64_t> ulp_at(const SeriesDifference& difference, const Series& expected,
                               const Series& actual, size_t i) {
  const double e = expected.widened(i);
  const double a = actual.widened(i);
  if (difference.integral || !std::isfinite(e) || !std::isfinite(a))
    return std::nullopt;
  if (difference.float32_valued)
    return ulp_distance<float, int32_t, uint32_t>(static_cast<float>(e), static_cast<float>(a));
  return ulp_distance<double, int64_t, uint64_t>(e, a);
}

std::string distance_text(const SeriesDifference& difference, const Series& expected, const Series& actual,
                          size_t i) {
  const auto ulps = ulp_at(difference, expected, actual, i);
  if (!ulps)
    return "";
  if (*ulps == 0)
    return "equal values, only the sign of zero differs";
  const double e = expected.widened(i);
  const std::string unit = difference.float32_valued ? "float32" : "float64";
  const std::string distance = fmt::format("{} {} ULP{}", *ulps, unit, *ulps == 1 ? "" : "s");
  const std::string gap = "relative gap " + size_text(std::abs(actual.widened(i) - e) / std::abs(e));
  if (*ulps > most_ulps_shown)
    return e == 0 ? "" : gap;
  return e == 0 ? distance : distance + ", " + gap;
}

Json SeriesDifference::to_json() const {
  return {{"relative_l2", json_number(relative_l2)},
          {"relative_linf", json_number(relative_linf)},
          {"max_ulp", max_ulp},
          {"needed_rtol", json_number(needed_rtol)},
          {"nan", nan_count},
          {"inf", inf_count}};
}

}  // namespace parity::compare
