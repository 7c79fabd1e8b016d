// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/plan/planned_run.hpp"

namespace parity {

/// Raises, or lowers, how many updates a run may have.
inline constexpr const char* most_steps_variable = "PARITY_MAX_STEPS";
inline constexpr int64_t default_most_steps = 1'000'000;

/// Returns how many updates a run may have: PARITY_MAX_STEPS, else a million. A case of more is a typing
/// error sooner than a wish, and would run for days before anything is compared.
/// \throws UserError if the variable is not a positive integer
int64_t most_steps();

/// What holds of every run that is planned.
/// \throws UserError if its steps are not a positive integer or more than most_steps(), or a fault of the arm
/// lies beyond its last step
/// \throws InternalError if its span does
void check_run(const Arm& arm, const PlannedRun& run);

}  // namespace parity
