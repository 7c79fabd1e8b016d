// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/suite/plan.hpp"
#include "harness/suite/run_store.hpp"

namespace parity {

/// The command line of one process of a run: placeholders {run_dir} {config} {steps} {dtype} {case_dir}
/// {worktree} {trace:ARM} are replaced inside each word of a command; other braces stay.
std::vector<std::string> expand_command(const PlannedRun& run, const RunStore& store);

/// Returns a run's command with the placeholders replaced that do not depend on the run's id: {steps} {dtype}
/// {case_dir} {worktree}.
std::vector<std::string> expand_case_words(const PlannedRun& run);

/// Returns the variables that rank_environment sets whatever this process inherits.
std::set<std::string> launcher_variables(const PlannedRun& run);

/// Whether a second process goes on, as the config asks for and the run's span gets to it.
bool restarts(const PlannedRun& run);

/// What parity-train is told of the updates to make: where to stop, where to go on from.
/// \param leg  0, or 1 for the second process of a run that restarts
std::vector<std::string> span_arguments(const PlannedRun& run, const RunStore& store, int leg);

/// The environment of one rank (the profile's variables and PARITY_*, RANK, WORLD_SIZE, ...).
/// \param rendezvous  file-store path, another one for each leg of each run
std::map<std::string, std::string> rank_environment(const PlannedRun& run,
                                                    const std::filesystem::path& folder, int rank,
                                                    const std::string& rendezvous, int port);

/// The file a rank rewrites at each step: {"step", "phase"}.
std::string heartbeat_name(int rank);

/// A port of this machine that nobody listens on now, for trainers that meet over TCP; 0 if the system gives
/// none.
int free_port();

}  // namespace parity
