// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/runs/side_runs.hpp"
#include "harness/bisect/search_record.hpp"

namespace parity {

/// Where two arms of a case part in bits: step, phase, tensor, operator, element.
///
/// The curves that are there tell the first step at which a channel differs. Both sides then run up to it
/// once, with a digest of their state at each update and checkpoints on the way; from the last one before
/// they part, that one update runs again with more and more recorded. A difference that a checkpoint does not
/// carry (it does not come back from there) is looked for from the beginning. Cost: at most one run of each
/// side up to the differing step, one more over a tenth of the steps, and one update a stage.
/// \throws UserError if a side does not finish, or its trace lacks what is needed
SearchRecord search_run(const Sides& sides, const RunSettings& options, Progress& progress);

}  // namespace parity
