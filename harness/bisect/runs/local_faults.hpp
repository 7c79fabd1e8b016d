// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/runs/noise_floor.hpp"
#include "harness/bisect/runs/probe.hpp"

namespace parity {

/// What each tensor of an update adds to the difference by itself: the other side once more, fed with the
/// good side's numbers in place of its own after each of them (teacher forcing, METRICS.md M11).
struct LocalFaults {
  std::vector<TensorStation> own;  ///< that come out otherwise from the same numbers, in order of computation
  std::vector<TensorStation> loud;  ///< of these, what no other order of sums explains
  int64_t inherited = 0;            ///< that differ in the sides' own runs, and not in this one
  int64_t tensors = 0;              ///< compared

  /// "1 of 182 tensors comes out otherwise by itself: forward layers.0.attention.wo (2.1e-03); the other 120
  /// that differ were handed the difference".
  std::string words(const std::string& fed_with) const;
  Json to_json() const;
};

/// Tells the stage "local". \param measured  what rounding makes, where it was measured; else nullptr
/// \return nothing where nobody can be fed: a command, sides that differ in nothing
/// that another tensor is computed from, or tensors too large to keep
std::optional<LocalFaults> find_local_faults(RunProbe& probe, FirstBadUpdate& update,
                                             const FloorSearch* measured = nullptr);

}  // namespace parity
