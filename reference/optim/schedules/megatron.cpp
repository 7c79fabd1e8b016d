// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/base/error.hpp"
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {
namespace {

double ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

double falling_cosine(double p) {
  return 0.5 * (std::cos(std::numbers::pi * p) + 1.0);
}

double wsd_share(WsdDecay shape, double q) {
  switch (shape) {
    case WsdDecay::linear:
      return 1.0 - q;
    case WsdDecay::cosine:
      return falling_cosine(q);
    case WsdDecay::exponential:
      return 2.0 * std::pow(0.5, q) - 1.0;
    case WsdDecay::minus_sqrt:
      return 1.0 - std::sqrt(q);
  }
  throw InternalError("unknown WSD decay");
}

/// Rates over samples.
struct MegatronCurve {
  double highest, lowest, first;
  int64_t warmup, length, final_decay;
  DecayShape decay;
  WsdDecay wsd_decay;

  double share(int64_t n) const {
    const double r = ratio(n - warmup, length - warmup);
    if (decay == DecayShape::linear)
      return 1.0 - r;
    if (decay == DecayShape::cosine)
      return falling_cosine(r);
    require(decay == DecayShape::wsd, "Megatron has no such decay");
    const int64_t into_decay = n - (length - final_decay);
    return into_decay <= 0 ? 1.0 : wsd_share(wsd_decay, ratio(into_decay, final_decay));
  }

  double at(int64_t n) const {
    if (warmup > 0 && n <= warmup)
      return first + (highest - first) * static_cast<double>(n) / static_cast<double>(warmup);
    if (decay == DecayShape::constant)
      return highest;
    if (n > length)
      return lowest;
    if (decay == DecayShape::inverse_square_root) {
      const auto root = [](int64_t x) {
        return std::pow(static_cast<double>(std::max<int64_t>(x, 1)), 0.5);  // Python's x ** 0.5
      };
      return std::max(lowest, highest * root(warmup) / root(n));
    }
    return lowest + share(n) * (highest - lowest);
  }
};

}  // namespace

Schedule megatron_schedule(const RunConfig& config) {
  const LrConfig& lr = config.lr;
  const int64_t samples = config.data.global_batch;
  const MegatronCurve curve{.highest = lr.base,
                            .lowest = lr.base * lr.min_factor,
                            .first = lr.base * lr.init_factor,
                            .warmup = lr.warmup_steps * samples,
                            .length = curve_length(config) * samples,
                            .final_decay = lr.wsd_steps * samples,
                            .decay = lr.decay,
                            .wsd_decay = lr.wsd_decay};
  Schedule schedule;
  schedule.lr = [curve, samples](int64_t c) { return curve.at(c * samples); };
  schedule.weight_decay = megatron_weight_decay(config);
  return schedule;
}

}  // namespace parity::reference
