// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule hugging_face_cosine_schedule(const RunConfig& config) {
  const int64_t warmup = config.lr.warmup_steps, total = curve_length(config);
  const double waves = std::numbers::pi * config.lr.num_cycles * 2.0;
  Schedule schedule = scaled_schedule(config.lr.base, [warmup, total, waves](int64_t c) {
    if (c < warmup)
      return static_cast<double>(c) / static_cast<double>(std::max<int64_t>(1, warmup));
    const double p =
        static_cast<double>(c - warmup) / static_cast<double>(std::max<int64_t>(1, total - warmup));
    return std::max(0.0, 0.5 * (1.0 + std::cos(waves * p)));
  });
  warn_of_long_warmup(config, schedule);
  return schedule;
}

}  // namespace parity::reference
