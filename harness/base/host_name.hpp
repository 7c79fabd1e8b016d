// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parity {

/// Returns the name of this host, as gethostname(2) has it; "an unnamed host" if it has none.
std::string host_name();

/// Returns the name that Slurm has for this host (SLURMD_NODENAME), or else host_name().
std::string node_name();

}  // namespace parity
