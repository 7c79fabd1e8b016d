// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "reference/optim/schedules/families.hpp"

namespace parity::reference {

std::function<double(int64_t c)> megatron_weight_decay(const RunConfig& config) {
  const OptimizerConfig& optimizer = config.optimizer;
  if (optimizer.weight_decay_ramp == WeightDecayRamp::constant)
    return {};
  const bool cosine = optimizer.weight_decay_ramp == WeightDecayRamp::cosine;
  const double start = optimizer.weight_decay_start, end = optimizer.weight_decay;
  return [cosine, start, end, steps = config.steps](int64_t c) {
    if (c > steps)
      return end;
    const double r = static_cast<double>(c) / static_cast<double>(steps);
    const double share = cosine ? 0.5 * (std::cos(std::numbers::pi * (1 - r)) + 1.0) : r;
    return start + share * (end - start);
  };
}

}  // namespace parity::reference
