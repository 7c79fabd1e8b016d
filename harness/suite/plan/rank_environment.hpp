// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// How the names of the files begin in which the processes of a run list the source files that they loaded: a
/// JSON array of absolute paths, in "sources.RANK.PID.json". The recorder of Python writes them
/// (PARITY_SOURCES).
inline constexpr const char* sources_name = "sources";

/// Returns the environment of one rank: the profile's variables and PARITY_*, RANK, WORLD_SIZE, ...
/// \param rendezvous  path of the file store, a different one for each leg of each run
std::map<std::string, std::string> rank_environment(const PlannedRun& run,
                                                    const std::filesystem::path& folder, int rank,
                                                    const std::string& rendezvous, int port);

/// Returns the name of the file that a rank rewrites at each step: {"step", "phase"}.
std::string heartbeat_name(int rank);
std::string heartbeat_name(const std::string& rank);

/// Returns the variables that rank_environment always sets, whatever this process inherits.
std::set<std::string> launcher_variables(const PlannedRun& run);

}  // namespace parity::suite
