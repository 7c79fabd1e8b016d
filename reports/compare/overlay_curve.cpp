// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/overlay_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace parity::reports {
namespace {

/// What a bucket keeps of its values.
struct Kept {
  std::array<Value, 2> ends = {};  ///< the smallest and the largest, in their order
  Value not_finite;                ///< the first such value
};

Kept kept_of(std::span<const Value> values) {
  Kept kept;
  const Value *low = nullptr, *high = nullptr;
  for (const Value& value : values) {
    if (!value)
      continue;
    if (!std::isfinite(*value)) {
      kept.not_finite = kept.not_finite ? kept.not_finite : value;
      continue;
    }
    low = low && **low <= *value ? low : &value;
    high = high && **high >= *value ? high : &value;
  }
  if (low)
    kept.ends = low < high ? std::array{*low, *high} : std::array{*high, *low};
  else
    kept.ends.fill(kept.not_finite);
  return kept;
}

/// \param all_three  whether the bucket has a point for values that are not finite
void append(std::vector<Value>& points, const Kept& kept, bool all_three) {
  points.push_back(kept.ends[0]);
  if (all_three)
    points.push_back(kept.not_finite ? kept.not_finite : kept.ends[0]);
  points.push_back(kept.ends[1]);
}

/// Returns all lists of values of a curve.
std::vector<std::vector<Value>*> lists_of(Curve& curve) {
  std::vector<std::vector<Value>*> lists;
  for (Series& series : curve.series)
    lists.push_back(&series.values);
  for (Series& gap : curve.gap)
    lists.push_back(&gap.values);
  if (!curve.floor.empty())
    lists.push_back(&curve.floor);
  return lists;
}

}  // namespace

OverlayCurve overlay_curve(Curve whole) {
  const size_t count = whole.steps.size();
  if (count <= most_points)
    return {std::move(whole), 1};
  const size_t buckets = most_points / 2;
  const std::vector<std::vector<Value>*> lists = lists_of(whole);
  std::vector<std::vector<Value>> thinned(lists.size());
  std::vector<int64_t> steps;
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    const size_t begin = bucket * count / buckets, end = (bucket + 1) * count / buckets;
    std::vector<Kept> kept;
    for (const std::vector<Value>* list : lists)
      kept.push_back(kept_of(std::span(*list).subspan(begin, end - begin)));
    const bool all_three =
        std::ranges::any_of(kept, [](const Kept& one) { return one.not_finite.has_value(); });
    steps.push_back(whole.steps[begin]);
    if (all_three)
      steps.push_back(whole.steps[begin + (end - begin) / 2]);
    steps.push_back(whole.steps[end - 1]);
    for (size_t i = 0; i < kept.size(); ++i)
      append(thinned[i], kept[i], all_three);
  }
  for (size_t i = 0; i < lists.size(); ++i)
    *lists[i] = std::move(thinned[i]);
  whole.steps = std::move(steps);
  return {std::move(whole), (count + buckets - 1) / buckets};
}

}  // namespace parity::reports
