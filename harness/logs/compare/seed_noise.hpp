// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// How far two runs are apart, next to runs that differ in their seed only. A distance is the root mean
/// square of the gap of the loss, over the steps that all runs have.
struct SeedNoise {
  size_t steps = 0;           ///< that all runs have
  double apart = 0;           ///< the distance of the two runs; infinite if a loss is not finite
  std::vector<double> seeds;  ///< the distances of all pairs of the first run and the seeds, ascending
  size_t runs = 0;            ///< seeds
  /// The seeds that are at least as far from the first run as the second run is.
  size_t as_far = 0;

  /// Returns whether the two runs are farther apart than every pair of seeds.
  bool beyond() const { return seeds.empty() || apart > seeds.back(); }
  /// Returns the probability that a run that differs in its seed only is as far from the first run, or
  /// farther: (1 + as_far) / (1 + runs). It is exact if the second run and the seeds are exchangeable.
  double probability() const { return static_cast<double>(1 + as_far) / static_cast<double>(1 + runs); }
  /// Returns the smallest probability that so many seeds can give.
  double smallest() const { return 1 / static_cast<double>(1 + runs); }

  /// Returns what was found in a sentence or two.
  std::string text() const;
  Json to_json() const;
};

/// Measures the distance of two runs against runs of other seeds.
/// \param seeds  at least one
/// \throws UserError (exit 3) if a run has no loss, or if no step is common to all
SeedNoise measure_seed_noise(const Log& first, const Log& second, const std::vector<Log>& seeds);

}  // namespace parity::logs
