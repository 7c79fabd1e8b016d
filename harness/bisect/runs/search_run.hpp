// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/runs/side_runs.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity::bisect {

/// Finds the first bitwise difference between two arms of a case: step, phase, tensor, operator, element.
///
/// The existing curves show the first step at which a channel differs. Both sides then run up to that step
/// once, with a digest of their state at each update and with checkpoints. From the last checkpoint before
/// the divergence, the one update runs again, recording more detail at each stage. If the difference does not
/// appear from the checkpoint, the search runs from the beginning.
///
/// Cost: at most one run of each side up to the differing step, one more over a tenth of the steps, and one
/// update for each stage.
/// \throws UserError if a side does not finish, or its trace lacks what is needed
SearchRecord search_run(const Sides& sides, const suite::RunSettings& options, Progress& progress);

}  // namespace parity::bisect
