// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule verl_cosine_schedule(const RunConfig& config) {
  const int64_t warmup = config.lr.warmup_steps, total = curve_length(config);
  const double waves = std::numbers::pi * config.lr.num_cycles * 2.0;
  const double lowest = config.lr.min_factor, first = config.lr.init_factor;
  const double half_swing = (1 - lowest) * 0.5, middle = (1 + lowest) * 0.5;
  Schedule schedule = scaled_schedule(config.lr.base, [=](int64_t c) {
    if (c < warmup)
      return first +
             (1.0 - first) * (static_cast<double>(c) / static_cast<double>(std::max<int64_t>(1, warmup)));
    const double p =
        static_cast<double>(c - warmup) / static_cast<double>(std::max<int64_t>(1, total - warmup));
    return std::max(lowest, std::cos(waves * p) * half_swing + middle);
  });
  warn_of_long_warmup(config, schedule);
  return schedule;
}

}  // namespace parity::reference
