// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// The command line of one process of a run: placeholders {run_dir} {config} {steps} {dtype} {case_dir}
/// {worktree} {trace:ARM} are replaced inside each word of a command; other braces stay.
std::vector<std::string> expand_command(const PlannedRun& run, const RunStore& store);

/// Whether a second process goes on, as the config asks for and the run's span gets to it.
bool restarts(const PlannedRun& run);

/// What parity-train is told of the updates to make: where to stop, where to go on from.
/// \param leg  0, or 1 for the second process of a run that restarts
std::vector<std::string> span_arguments(const PlannedRun& run, const RunStore& store, int leg);

/// A port of this machine that nobody listens on now, for trainers that meet over TCP; 0 if the system gives
/// none.
int free_port();

}  // namespace parity
