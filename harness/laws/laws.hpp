// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "harness/laws/law.hpp"

namespace parity::laws {

/// Returns all laws, in the order in which an audit asks them.
std::span<const Law> all_laws();

// One function a law. Each has a file of its name.

Finding ask_grad_norm(const RecordedRun& run);
Finding ask_clip(const RecordedRun& run);
Finding ask_update(const RecordedRun& run);
Finding ask_schedule(const RecordedRun& run);
Finding ask_replicas(const RecordedRun& run);
Finding ask_loss(const RecordedRun& run);
Finding ask_data(const RecordedRun& run);
Finding ask_reduction(const RecordedRun& run);

}  // namespace parity::laws
