// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/train/run/run.hpp"

namespace parity::reference {

/// Returns what drives a run with data.source = rollouts: the updates of a new controller on the ranks that
/// train, and a generator on the others. Its updates are empty for other runs, which load their data.
Drivers rollout_drivers();

}  // namespace parity::reference
