// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/runs/noise_floor.hpp"
#include "harness/bisect/runs/probe.hpp"

namespace parity::bisect {

/// The tensors of an update that the bad side computes wrongly from correct inputs (teacher forcing,
/// METRICS.md M11). The bad side runs again, and after each tensor the good side's values replace its own.
struct LocalFaults {
  std::vector<TensorStation> own;   ///< differ although their inputs are equal, in order of computation
  std::vector<TensorStation> loud;  ///< those of `own` that another order of sums does not explain
  int64_t inherited = 0;            ///< number that differ in the sides' own runs, but not in this one
  int64_t tensors = 0;              ///< number of compared tensors

  /// "with the values of GOOD after each tensor, 1 of 182 tensors has a local error: forward
  /// layers.0.attention.wo (2.1e-03); 120 inherit the difference".
  std::string describe(const std::string& fed_with) const;
  Json to_json() const;
};

/// Finds the local faults of an update. Records the stage "local".
/// \param measured  the measured noise floor; null if there is none
/// \return nothing if teacher forcing is not possible: for a command, for sides without a difference in a
/// tensor that others are computed from, or for tensors too large to record
std::optional<LocalFaults> find_local_faults(RunProbe& probe, FirstBadUpdate& update,
                                             const FloorSearch* measured = nullptr);

}  // namespace parity::bisect
