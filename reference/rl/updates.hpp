// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/train/run/run.hpp"

namespace parity::reference {

/// Returns the updates of a run with data.source = rollouts, made by a new controller. Returns an empty
/// function for other runs, which load their data.
Updates updates_from_rollouts(Trainer& trainer);

}  // namespace parity::reference
