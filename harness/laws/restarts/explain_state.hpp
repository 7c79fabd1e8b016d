// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/laws/restarts/state_pairs.hpp"

namespace parity::laws {

/// Returns what a tensor is after a restart in place of the saved values: "starts from zero", "has the values
/// of update 3", "was rounded to bfloat16", and so on.
std::string explain_state(const Restart& restart, const StatePair& pair);

}  // namespace parity::laws
