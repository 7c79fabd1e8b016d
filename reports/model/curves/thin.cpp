// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/curves/thin.hpp"

#include <algorithm>
#include <cmath>

namespace parity::reports {
namespace {

Value later(const Value& before, const Value& after) {
  const bool keep = !after || (before && !std::isfinite(*before));
  return keep ? before : after;
}

Value larger(const Value& before, const Value& after) {
  const bool keep =
      !after || (before && (!std::isfinite(*before) || (std::isfinite(*after) && *before >= *after)));
  return keep ? before : after;
}

/// Neighbouring steps that are merged into one.
struct Buckets {
  size_t steps, most;

  size_t begin(size_t bucket) const { return bucket * steps / count(); }
  size_t count() const { return std::min(steps, most); }
};

template <class Choose>
std::vector<Series> thin(const std::vector<Series>& all, const Buckets& buckets, Choose choose) {
  std::vector<Series> result;
  for (const Series& one : all) {
    Series thinned{one.arm, {}};
    for (size_t i = 0; i < buckets.count(); ++i) {
      Value value;
      for (size_t at = buckets.begin(i); at < buckets.begin(i + 1); ++at)
        value = choose(value, one.values[at]);
      thinned.values.push_back(value);
    }
    result.push_back(std::move(thinned));
  }
  return result;
}

}  // namespace

Curve thin_curve(const Curve& curve, size_t most) {
  const Buckets buckets{curve.steps.size(), std::max<size_t>(most, 1)};
  Curve result;
  result.channel = curve.channel;
  for (size_t i = 0; i < buckets.count(); ++i)
    result.steps.push_back(curve.steps[buckets.begin(i + 1) - 1]);
  result.series = thin(curve.series, buckets, later);
  result.gap = thin(curve.gap, buckets, larger);
  return result;
}

}  // namespace parity::reports
