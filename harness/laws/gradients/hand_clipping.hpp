// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "harness/laws/run/recorded_run.hpp"

// Clipping that the trainer computes itself. The recorder of Python sees PyTorch's clipping functions. If
// none of them was called, its phase `grad` has the gradients that the optimizer took: after such a clipping.

namespace parity::laws {

/// Updates whose gradients the trainer clipped itself.
struct HandClipping {
  double max_norm = 0;
  std::set<int64_t> steps;  ///< at which the phase `grad` is after clipping, and `grad_local` before it
};

/// Returns whether the phase `grad` of an update may be after a clipping that the recorder did not see.
bool may_be_clipped_by_hand(const RecordedRun& run, int64_t step);

/// Searches the updates that the trainer clipped itself, in a run of one rank. At these one factor below 1
/// scales all gradients of `grad_local`, and leaves the same norm at each: that of max_norm where it is
/// recorded, else at two updates or more. No other gradients may have a larger norm.
std::optional<HandClipping> find_hand_clipping(const RecordedRun& run);

}  // namespace parity::laws
