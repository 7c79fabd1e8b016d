// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/enum_names.hpp"

namespace parity::compare {

/// What is done to a repetition of a run that must not change its bits (relation `repeats`). Source:
/// cases/README.md, "The same thing twice"; what each does: harness/suite/runs/conditions.hpp.
enum class Condition {
  none,             ///< nothing: the run once more
  load,             ///< other processes compete for every core
  memory_pressure,  ///< fresh memory holds a pattern: NaN, then others
  threads,          ///< another number of threads
  other_cores,      ///< pinned to other cores
  other_alignment,  ///< memory at addresses of another alignment
};

constexpr auto enum_names(Condition) {
  return named<Condition::other_alignment>(
      "condition", {"none", "load", "memory_pressure", "threads", "other_cores", "other_alignment"});
}

}  // namespace parity::compare
