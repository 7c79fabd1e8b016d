// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule warmup_linear_schedule(const LrConfig& lr, int64_t) {
  return {[warmup = lr.warmup_steps, first = lr.first_index](int64_t c) {
            return c < warmup ? static_cast<double>(c + first) / static_cast<double>(warmup) : 1.0;
          },
          {}};
}

}  // namespace parity::reference
