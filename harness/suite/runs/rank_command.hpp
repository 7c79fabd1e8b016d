// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Returns the command line of one process of a run. Replaces the placeholders {run_dir} {config} {steps}
/// {dtype} {python} {case_dir} {worktree} {trace:ARM} inside each word of a command; other braces stay.
std::vector<std::string> expand_command(const PlannedRun& run, const RunStore& store);

/// Returns whether a second process resumes the run: the config asks for a restart, and the run's span
/// reaches it.
bool restarts(const PlannedRun& run);

/// Returns the arguments of parity-train that name the updates to make: where to stop, where to resume from.
/// \param leg  0, or 1 for the second process of a run that restarts
std::vector<std::string> span_arguments(const PlannedRun& run, const RunStore& store, int leg);

}  // namespace parity::suite
