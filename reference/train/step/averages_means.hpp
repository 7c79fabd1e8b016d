// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Returns whether each rank divides by its own count, so that losses and gradients are averaged over ranks.
inline bool averages_means(const RunConfig& config) {
  if (config.data.source == DataSource::rollouts)
    return config.rl.normalization == PolicyNormalization::times_dp;
  return config.loss.normalization == Normalization::microbatch_mean &&
         config.parallel.gradient_reduction == GradientReduction::average;
}

}  // namespace parity::reference
