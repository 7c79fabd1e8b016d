// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/pair_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace parity::reports {
namespace {

/// What a bucket keeps of its values.
struct Kept {
  std::array<double, 2> ends = {};   ///< the smallest and the largest, in their order
  std::optional<double> not_finite;  ///< the first such value
};

Kept kept_of(std::span<const double> values) {
  Kept kept;
  const double *low = nullptr, *high = nullptr;
  for (const double& value : values) {
    if (!std::isfinite(value)) {
      kept.not_finite = kept.not_finite.value_or(value);
      continue;
    }
    low = low && *low <= value ? low : &value;
    high = high && *high >= value ? high : &value;
  }
  if (low)
    kept.ends = low < high ? std::array{*low, *high} : std::array{*high, *low};
  else
    kept.ends.fill(*kept.not_finite);
  return kept;
}

/// \param all_three  whether the bucket has a point for values that are not finite
void append(std::vector<double>& points, const Kept& kept, bool all_three) {
  points.push_back(kept.ends[0]);
  if (all_three)
    points.push_back(kept.not_finite.value_or(kept.ends[0]));
  points.push_back(kept.ends[1]);
}

}  // namespace

PairCurve pair_curve(std::span<const int64_t> steps, std::span<const double> first,
                     std::span<const double> second) {
  std::vector<double> gap;
  for (size_t i = 0; i < steps.size(); ++i)
    gap.push_back(first[i] == second[i] ? 0 : std::abs(second[i] - first[i]));
  PairCurve curve;
  if (steps.size() <= most_points) {
    curve.steps.assign(steps.begin(), steps.end());
    curve.first.assign(first.begin(), first.end());
    curve.second.assign(second.begin(), second.end());
    curve.gap = std::move(gap);
    return curve;
  }
  const size_t buckets = most_points / 2;
  curve.merged = (steps.size() + buckets - 1) / buckets;
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    const size_t begin = bucket * steps.size() / buckets, end = (bucket + 1) * steps.size() / buckets;
    const auto part = [&](std::span<const double> all) { return kept_of(all.subspan(begin, end - begin)); };
    const Kept a = part(first), b = part(second), apart = part(gap);
    const bool all_three = a.not_finite || b.not_finite || apart.not_finite;
    curve.steps.push_back(steps[begin]);
    if (all_three)
      curve.steps.push_back(steps[begin + (end - begin) / 2]);
    curve.steps.push_back(steps[end - 1]);
    append(curve.first, a, all_three);
    append(curve.second, b, all_three);
    append(curve.gap, apart, all_three);
  }
  return curve;
}

}  // namespace parity::reports
