// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/side.hpp"

#include "harness/base/error.hpp"

namespace parity::compare {

Side side_of(const std::string& name, const ArmEvidence& arm) {
  Side side{name, arm.trace, arm.twin, arm.warmup_steps, arm.sixteen_bits, arm.floors, arm.floors_problem};
  side.updates = arm.updates;
  side.ranks = arm.ranks;
  return side;
}

Side twin_of(const Side& side) {
  if (!side.twin)
    throw MissingEvidence(
        side.name +
        " has no float64 twin (rounding cannot be distinguished from another computation without one); for a "
        "command arm, put {dtype} in its command, or set float64 = true");
  return {"the float64 twin of " + side.name, side.twin, nullptr, side.warmup_steps};
}

}  // namespace parity::compare
