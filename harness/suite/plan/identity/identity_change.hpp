// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns the differences between the identities of two runs of one arm, one phrase each: "environment
/// variable OMP_PROC_BIND (new)", "the program", "config key lr.warmup_steps". Empty if they are equal.
/// \param before, now  as run_identity returns them; a member that one of them lacks counts as different
std::vector<std::string> describe_identity_change(const Json& before, const Json& now);

}  // namespace parity::suite
