// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/coverage/pairs.hpp"
#include "harness/suite/cases/launch.hpp"

namespace parity::coverage {

/// A way in which ranks start that is not parity's own: a launcher, several nodes, folders of nodes. It must
/// not change a bit, so no pair with a feature is demanded; what it met is shown.
struct WayToStart {
  std::string name;
  std::vector<std::string> arms = {};  ///< that start so, also those of other programs
  std::set<size_t> features = {};      ///< that such an arm has, by index in features()
};

/// Returns every way, without arms.
std::vector<WayToStart> ways_to_start();

/// Adds an arm to the ways in which it starts.
/// \param arm  without features if another program trains it
void add_arm(std::vector<WayToStart>& ways, const suite::Launch& launch, const ArmFeatures& arm);

}  // namespace parity::coverage
