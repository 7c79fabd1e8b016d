// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/checkpoints/files/checkpoint.hpp"

namespace parity::checkpoints {

/// What the step counters of two checkpoints say about each other.
struct StepDistance {
  size_t counters = 0;  ///< that both sides have
  /// Number of updates from the expected side to the actual one, if all counters agree about it.
  int64_t least = 0, most = 0;

  /// Returns "all 12 step counters are 5 higher in the actual checkpoint: ..."; "" without counters or
  /// distance.
  std::string text() const;
};

/// Compares the counters that both sides have under one name: scalars named step, global_step or iteration.
StepDistance step_distance(const Checkpoint& expected, const Checkpoint& actual);

}  // namespace parity::checkpoints
