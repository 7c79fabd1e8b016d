// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/suite/plan.hpp"
#include "harness/suite/run_store.hpp"

namespace parity {

/// The command line of one process of a run: placeholders {run_dir} {config} {steps} {dtype} {case_dir}
/// {trace:ARM} are replaced inside each word of a command; other braces stay.
std::vector<std::string> expand_command(const PlannedRun& run, const RunStore& store);

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
