// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule hugging_face_linear_schedule(const RunConfig& config) {
  const int64_t warmup = config.lr.warmup_steps, total = curve_length(config);
  Schedule schedule = scaled_schedule(config.lr.base, [warmup, total](int64_t c) {
    if (c < warmup)
      return static_cast<double>(c) / static_cast<double>(std::max<int64_t>(1, warmup));
    const double left =
        static_cast<double>(total - c) / static_cast<double>(std::max<int64_t>(1, total - warmup));
    return std::max(0.0, left);
  });
  warn_of_long_warmup(config, schedule);
  return schedule;
}

}  // namespace parity::reference
