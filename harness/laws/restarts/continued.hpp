// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/laws/law.hpp"
#include "harness/laws/restarts/state_pairs.hpp"

namespace parity::laws {

/// Returns what the step counters of the optimizer say after the first update of a resumed run whose state
/// before it was not recorded: "start from zero: ..." if they count anew; "" if they go on, or there are
/// none.
std::string describe_lost_counters(const Restart& restart);

/// Compares the learning rate and the batches of a resumed run, which is another trace, with those of the run
/// before. A schedule that starts again departs. Batches that come again are noted: an epoch may end there.
void compare_channels(const Restart& restart, Finding& finding);

}  // namespace parity::laws
