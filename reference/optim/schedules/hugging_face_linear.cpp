// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

Schedule hugging_face_linear_schedule(const LrConfig& lr, int64_t total_steps) {
  const auto warmup = lr.warmup_steps;
  return {[warmup, total_steps](int64_t c) {
            if (c < warmup)
              return static_cast<double>(c) / static_cast<double>(std::max<int64_t>(1, warmup));
            const double left = static_cast<double>(total_steps - c) /
                                static_cast<double>(std::max<int64_t>(1, total_steps - warmup));
            return std::max(0.0, left);
          },
          {}};
}

}  // namespace parity::reference
