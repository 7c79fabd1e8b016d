// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/side_classifier.hpp"

#include <algorithm>
#include <cmath>

namespace parity::bisect {
namespace {

constexpr double rounding_only = 16;  // units of noise: up to this gap, sides differ only by rounding

}  // namespace

SideClassifier::SideClassifier(const RunCurves& good, const RunCurves& bad, std::vector<std::string> channels,
                               double noise)
    : good_(good),
      bad_(bad),
      ruler_(good, bad, std::move(channels)),
      by_failure_(good.finished() != bad.finished()) {
  if (by_failure_)
    return;
  largest_ = ruler_.farthest(good, bad, to_the_end);
  first_bit_ = ruler_.first(good, bad, 0);
  const double gap = std::min(largest_.size, 1.0);
  tau_ = gap <= rounding_only * noise ? 0 : std::min(std::sqrt(noise * gap), gap / 4);
  divergence_ = ruler_.first(good, bad, tau_);
}

Likeness SideClassifier::of(const RunCurves& run) const {
  if (by_failure_)
    return run.finished()                          ? Likeness::good
           : run.failure_kind == bad_.failure_kind ? Likeness::bad
                                                   : Likeness::unknown;
  if (!run.finished())
    return Likeness::unknown;
  if (ruler_.farthest(run, good_, divergence_.step).size <= tau_)
    return Likeness::good;
  return ruler_.farthest(run, bad_, divergence_.step).size <= tau_ ? Likeness::bad : Likeness::neither;
}

}  // namespace parity::bisect
