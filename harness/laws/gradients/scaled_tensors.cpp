// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/scaled_tensors.hpp"

#include <algorithm>
#include <cmath>

#include "harness/laws/run/rounding.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Returns the size at which all elements are cut off, if that is what happened.
double clamp_of(const std::vector<double>& before, const std::vector<double>& after, double roundoff) {
  double limit = 0;
  for (const double value : after)
    limit = std::max(limit, std::abs(value));
  bool cuts = false;
  for (size_t i = 0; i < before.size(); ++i) {
    const double wanted = std::clamp(before[i], -limit, limit);
    if (!(std::abs(wanted - after[i]) <= 2 * roundoff * limit))
      return 0;
    cuts = cuts || std::abs(before[i]) > limit * (1 + 4 * roundoff);
  }
  return cuts ? limit : 0;
}

}  // namespace

std::optional<Scaled> scaled_of(const RecordedRun& run, int64_t step, const std::string& name) {
  const TensorKey before{step, Phase::grad, name}, after{step, Phase::grad_clipped, name};
  const double u = std::max(run.roundoff(before), run.roundoff(after));
  Scaled scaled{.name = name, .bound = 4 * u + own_rounding(run.size(before))};
  if (!run.has_values(before) || !run.has_values(after)) {
    const auto a = run.norm(before), b = run.norm(after);
    if (!a || !b || *a == 0)
      return std::nullopt;
    scaled.factor = *b / *a;
    scaled.weight = *a * *a;
    return scaled;
  }
  const std::vector<double> a = run.values(before), b = run.values(after);
  if (a.size() != b.size())
    return std::nullopt;
  double aa = 0, ab = 0, smallest = 1e-37;  // results below float32's normal numbers lose digits
  for (size_t i = 0; i < a.size(); ++i) {
    aa += a[i] * a[i];
    ab += a[i] * b[i];
  }
  if (aa == 0)
    return std::nullopt;
  scaled.factor = ab / aa;
  scaled.weight = aa;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(b[i] - scaled.factor * a[i]) <=
          scaled.bound * std::abs(scaled.factor * a[i]) + smallest)) {
      scaled.one_factor = false;
      scaled.clamp = clamp_of(a, b, u);
      break;
    }
  return scaled;
}

double main_factor(const std::vector<Scaled>& tensors) {
  double best = 1, most = -1;
  for (const Scaled& one : tensors) {
    double weight = 0;
    for (const Scaled& other : tensors)
      weight += std::abs(other.factor - one.factor) <= (one.bound + other.bound) * std::abs(one.factor)
                    ? other.weight
                    : 0;
    if (weight > most) {
      most = weight;
      best = one.factor;
    }
  }
  return best;
}

}  // namespace parity::laws
