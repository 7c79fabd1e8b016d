// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/planned_run.hpp"

#include <algorithm>

namespace parity::suite {

compare::RunUpdates updates_of_run(const FlatConfig& config, const RunSpan& span) {
  const int64_t steps = integer_of(config, "steps", 0);
  if (steps < 1)
    return {};
  return {span.start_run.empty() ? 1 : span.start_step + 1, span.stop_after > 0 ? span.stop_after : steps};
}

double PlannedRun::cost() const {
  const double tokens = static_cast<double>(integer_of(config, "data.seq_len", 256)) *
                        static_cast<double>(integer_of(config, "data.global_batch", 4));
  constexpr double start = 16'000;  // measured: 0.4 s for each rank
  const double of_dtype = dtype == "float64" ? 2 : dtype == "exact" ? 40 : 1;
  return start * ranks + static_cast<double>(last_step() - span.start_step) * tokens * of_dtype;
}

}  // namespace parity::suite
