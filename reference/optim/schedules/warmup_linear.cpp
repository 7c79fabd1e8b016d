// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule warmup_linear_schedule(const RunConfig& config) {
  const int64_t warmup = config.lr.warmup_steps, first = config.lr.first_index;
  return scaled_schedule(config.lr.base, [warmup, first](int64_t c) {
    return c < warmup ? static_cast<double>(c + first) / static_cast<double>(warmup) : 1.0;
  });
}

}  // namespace parity::reference
