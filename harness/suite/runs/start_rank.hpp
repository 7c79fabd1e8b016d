// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/processes/process.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Starts a rank of a run. parity's own trainer and the runner of Python operators are forked from servers,
/// which have PyTorch loaded (base/processes/fork_server.hpp), because half of the time of a short run is its
/// start. A new process
/// starts for a command, another trainer, a repetition and a condition such as memory pressure: those ask
/// whether processes that have nothing in common agree. PARITY_FORK_SERVER=0 starts a new one for each rank.
/// \throws UserError if the process cannot start
Process start_rank(const ProcessSpec& spec, const PlannedRun& run);

}  // namespace parity::suite
