// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/plan.hpp"

namespace parity {

/// What holds of every run that is planned.
/// \throws UserError if its steps are not a positive integer, or a fault of the arm lies beyond its last step
/// \throws InternalError if its span does
void check_run(const Arm& arm, const PlannedRun& run);

}  // namespace parity
