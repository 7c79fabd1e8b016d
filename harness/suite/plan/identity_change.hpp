// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// Returns what differs between the identities of two runs of one arm, a phrase each: "environment variable
/// OMP_PROC_BIND (new)", "the program", "config key lr.warmup_steps". Empty if nothing does.
/// \param before, now  as run_identity returns them; members that are missing count as different
std::vector<std::string> describe_identity_change(const Json& before, const Json& now);

}  // namespace parity
