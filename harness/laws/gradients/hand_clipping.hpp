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
  double order = 2;         ///< of the norm that the trainer recorded and divided by: 1, 2 or infinity
  std::set<int64_t> steps;  ///< at which the phase `grad` is after clipping, and `grad_local` before it
};

/// Returns whether the phase `grad` of an update may be after a clipping that the recorder did not see.
bool may_be_clipped_by_hand(const RecordedRun& run, int64_t step);

/// What the trainer did to the gradients between the backward passes and its optimizer.
enum class HandScaling {
  unknown,     ///< grad_local was not recorded, or ranks may have reduced it
  none,        ///< nothing
  one_factor,  ///< one factor scales all gradients
  other,       ///< something else, or the trace lacks gradients of one of the phases
};

/// Returns what the phases grad_local and grad of an update show.
HandScaling hand_scaling(const RecordedRun& run, int64_t step);

/// Searches the updates that the trainer clipped itself, in a run of one rank. At these one factor below 1
/// scales all gradients of `grad_local`. Either it leaves the same norm at each, and no other gradients have
/// a larger norm; or it is one limit divided by the recorded norm, which may be a wrong one. The limit is
/// max_norm where that is recorded, else two updates have to show it.
std::optional<HandClipping> find_hand_clipping(const RecordedRun& run);

}  // namespace parity::laws
