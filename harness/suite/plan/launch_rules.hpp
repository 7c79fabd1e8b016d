// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the launch of an arm with `ranks` ranks, with the ranks of each node.
/// \throws UserError if the nodes cannot have these ranks, or as check_launch()
Launch launch_of(const Arm& arm, int ranks);

/// Returns the words of a launch with {ranks}, {nodes} and {ranks_per_node} replaced.
std::vector<std::string> expand_launch_words(const Launch& launch, int ranks);

}  // namespace parity::suite
