// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule verl_constant_schedule(const RunConfig& config) {
  return scaled_schedule(config.lr.base, [warmup = config.lr.warmup_steps](int64_t c) {
    return c < warmup ? static_cast<double>(c) / static_cast<double>(warmup) : 1.0;
  });
}

}  // namespace parity::reference
