// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/base/error.hpp"
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {
namespace {

struct Curve {
  double base, lowest_factor, first_factor;
  int64_t warmup;  ///< W'
  int64_t length;
  WarmupShape shape;
  DecayShape decay;

  double warmup_share(int64_t k) const {
    const auto steps = static_cast<double>(warmup);
    if (shape == WarmupShape::linear)
      return static_cast<double>(k) / steps;
    return 1.0 / std::log(steps) * std::log(static_cast<double>(k + 1));
  }

  int64_t decay_steps() const { return std::max<int64_t>(1, length - warmup); }

  /// WarmupLR and WarmupDecayLR: a share of the distance from the lowest rate to the highest.
  double interpolated(int64_t k) const {
    const double lowest = base * lowest_factor;
    if (k < 0)
      return lowest;
    double share = 1.0;
    if (k < warmup)
      share = warmup_share(k);
    else if (decay == DecayShape::linear)
      share = std::max(0.0, static_cast<double>(length - k) / static_cast<double>(decay_steps()));
    return lowest + (base - lowest) * share;
  }

  /// WarmupCosineLR: a factor on the highest rate.
  double cosine(int64_t k) const {
    if (k < 0)
      return 0.0;
    if (k < warmup)
      return base * (first_factor + warmup_share(k) * (1.0 - first_factor));
    const double p = std::min(1.0, static_cast<double>(k - warmup + 1) / static_cast<double>(decay_steps()));
    const double share = (1 + std::cos(std::numbers::pi * p)) / 2;
    return base * std::max(0.0, lowest_factor + (1.0 - lowest_factor) * share);
  }
};

}  // namespace

Schedule deepspeed_schedule(const RunConfig& config) {
  const LrConfig& lr = config.lr;
  const Curve curve{.base = lr.base,
                    .lowest_factor = lr.min_factor,
                    .first_factor = lr.init_factor,
                    .warmup = std::max<int64_t>(2, lr.warmup_steps),
                    .length = curve_length(config),
                    .shape = lr.warmup,
                    .decay = lr.decay};
  Schedule schedule;
  schedule.lr = [curve](int64_t c) {
    const int64_t k = c - 1;  // the engine steps the schedule after the optimizer
    return curve.decay == DecayShape::cosine ? curve.cosine(k) : curve.interpolated(k);
  };
  if (lr.warmup_steps < 2)
    schedule.warnings.push_back("lr.warmup_steps = " + std::to_string(lr.warmup_steps) +
                                " is less than DeepSpeed's minimum warmup; warmup lasts 2 steps");
  if (lr.decay != DecayShape::constant)
    warn_of_long_warmup(config, schedule);
  return schedule;
}

}  // namespace parity::reference
