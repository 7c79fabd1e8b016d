// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/processes/process.hpp"
#include "harness/suite/cases/launch.hpp"

namespace parity::suite {

/// The number that a launcher gave to this process.
struct LaunchedRank {
  int rank = 0;
  int ranks = 1;
  int local_rank = 0;        ///< among those of this machine
  bool has_meeting = false;  ///< the launcher also says where the ranks meet
};

/// Returns the rank that the environment of this process states, by the variables of the launcher. They are
/// those that parity-train knows (reference/comm/job.hpp).
/// \throws UserError if there are none, or they are not numbers
LaunchedRank rank_from_launcher(Launcher launcher, int ranks_per_node);

/// Removes from a rank's process the variables that its launcher sets, and hides inherited ones.
/// \param nodes  as for variables_of_launchers()
void leave_place_to_launcher(ProcessSpec& spec, int nodes);

/// Returns the variables of launchers that a launcher must not inherit from the surroundings of parity.
/// \param nodes  of the run; with several, MASTER_ADDR may be the site's
std::vector<std::string> variables_of_launchers(int nodes);

}  // namespace parity::suite
