// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/laws/run/recorded_run.hpp"

// What a run's config says of its optimizer.

namespace parity::laws {

/// Returns whether the run says that its decay is decoupled.
bool names_adamw(const RecordedRun& run);

/// Returns whether a run of parity-train promises Adam with its decay in the gradient. Other programs call
/// AdamW "adam", too.
bool promises_l2(const RecordedRun& run);

/// Returns whether the config says that parameters are stored in a narrower type than the optimizer computes
/// in.
bool rounds_weights(const RecordedRun& run);

/// Returns whether the config says that queries and keys are scaled after the update.
bool scales_queries(const RecordedRun& run);

}  // namespace parity::laws
