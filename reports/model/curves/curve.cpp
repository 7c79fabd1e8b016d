// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/curves/curve.hpp"

#include <algorithm>
#include <map>

namespace parity::reports {
namespace {

/// Returns numbers by step, placed at the steps of the curve.
std::vector<Value> placed(const std::vector<double>& numbers, const std::vector<int64_t>& steps,
                          const results::Curve& curve) {
  std::map<int64_t, double> values;
  for (size_t i = 0; i < steps.size(); ++i)
    values[steps[i]] = numbers[i];
  std::vector<Value> result;
  result.reserve(curve.steps.size());
  for (const int64_t step : curve.steps) {
    const auto found = values.find(step);
    result.push_back(found == values.end() ? Value() : found->second);
  }
  return result;
}

Bound bound_of(const Check& check, const MeasuredBound& measured, const results::Curve& curve,
               const Case& item) {
  Bound bound;
  bound.arms = check.arms;
  bound.golden = check.against == "golden";
  bound.to_reference = !bound.golden && check.arms.size() == 2 && check.arms.front() == item.reference;
  bound.words = measured.words;
  bound.gap = placed(measured.gap, measured.steps, curve);
  bound.floor = placed(measured.floor, measured.steps, curve);
  bound.limit = placed(measured.limit, measured.steps, curve);
  return bound;
}

}  // namespace

Curve with_bounds(const results::Curve& curve, const Case& item) {
  Curve result{curve, {}};
  for (const Check& check : item.checks)
    for (const MeasuredBound& measured : check.bounds) {
      if (measured.channel != curve.channel || check.arms.empty())
        continue;
      Bound bound = bound_of(check, measured, curve, item);
      const bool known = std::ranges::any_of(result.bounds, [&](const Bound& other) {
        return other.arms == bound.arms && other.golden == bound.golden;
      });
      if (!known)
        result.bounds.push_back(std::move(bound));
    }
  return result;
}

}  // namespace parity::reports
