// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "harness/base/error.hpp"
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {
namespace {

/// Returns the share of the decay that remains at progress p, 0 to 1. A share of 0 gives the lowest
/// factor.
double decay(DecayShape shape, double p) {
  switch (shape) {
    case DecayShape::linear:
      return 1 - p;
    case DecayShape::sqrt:
      return 1 - std::sqrt(p);
    case DecayShape::cosine:
      return 0.5 * (1 + std::cos(std::numbers::pi * p));
    default:
      throw InternalError("torchtitan has no such decay");
  }
}

struct Lengths {
  int64_t warmup = 0;
  int64_t decay = 0;
};

Lengths fit(const LrConfig& lr, int64_t total, std::vector<std::string>& warnings) {
  Lengths lengths{lr.warmup_steps, 0};
  const std::string total_text = std::to_string(total);
  if (lengths.warmup > total) {
    warnings.push_back("lr.warmup_steps = " + std::to_string(lengths.warmup) + " exceeds the " + total_text +
                       " steps of the schedule; warmup lasts " + total_text);
    lengths.warmup = total;
  }
  lengths.decay = total - lengths.warmup;
  if (lr.decay_ratio < 0)
    return lengths;
  const int64_t asked = round_half_to_even(static_cast<double>(total) * lr.decay_ratio);
  if (lengths.warmup + asked > total)
    warnings.push_back("warmup (" + std::to_string(lengths.warmup) + ") and decay (" + std::to_string(asked) +
                       ") exceed the " + total_text + " steps of the schedule; decay lasts " +
                       std::to_string(lengths.decay));
  else
    lengths.decay = asked;
  return lengths;
}

}  // namespace

Schedule titan_schedule(const RunConfig& config) {
  const LrConfig& lr = config.lr;
  const int64_t total = curve_length(config);
  std::vector<std::string> warnings;
  const Lengths lengths = fit(lr, total, warnings);
  const int64_t stable_end = total + 1 - lengths.decay;  // W + S
  Schedule schedule =
      scaled_schedule(lr.base, [lengths, stable_end, shape = lr.decay, m = lr.min_factor](int64_t c) {
        if (c < lengths.warmup)
          return static_cast<double>(c + 1) / static_cast<double>(lengths.warmup);
        if (c < stable_end || lengths.decay == 0)
          return 1.0;
        const double p = static_cast<double>(c + 1 - stable_end) / static_cast<double>(lengths.decay);
        return m + (1 - m) * decay(shape, p);
      });
  schedule.warnings = std::move(warnings);
  return schedule;
}

}  // namespace parity::reference
