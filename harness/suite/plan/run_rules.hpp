// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Name of the environment variable that sets the largest number of updates of a run.
inline constexpr const char* most_steps_variable = "PARITY_MAX_STEPS";
inline constexpr int64_t default_most_steps = 1'000'000;

/// Returns the largest number of updates that a run may have: PARITY_MAX_STEPS, or else a million. A case
/// with more is probably a typing error, and it would run for days before any comparison.
/// \throws UserError if the variable is not a positive integer
int64_t most_steps();

/// Checks the rules for every planned run.
/// \throws UserError if its steps are not a positive integer or exceed most_steps(), or if a fault of the arm
///         is after its last step
/// \throws InternalError if its span ends after its last step
void check_run(const Arm& arm, const PlannedRun& run);

}  // namespace parity::suite
