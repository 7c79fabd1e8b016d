// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Where a launcher starts.
struct LaunchPlace {
  std::string program;  ///< of the launcher
  bool in_job = false;  ///< inside a job of Slurm, which has the run's nodes
  std::string host;     ///< of this machine
  int port = 0;         ///< free on this machine, for torchrun's agents
};

using Words = std::vector<std::string>;

/// Returns the command lines that start the ranks of a run. There is one, except for torchrun with several
/// nodes outside a job of Slurm: then one for each node, all on this machine; and for a remote shell: then
/// one for each rank.
/// \param rank  the command line of one rank
std::vector<Words> launch_words(const PlannedRun& run, const LaunchPlace& place, const Words& rank);

}  // namespace parity::suite
