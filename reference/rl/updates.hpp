// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/train/run/run.hpp"

namespace parity::reference {

/// The updates of a run with data.source = rollouts, by a controller of its own; nothing for other runs,
/// which load what they train on.
Updates updates_from_rollouts(Trainer& trainer);

}  // namespace parity::reference
