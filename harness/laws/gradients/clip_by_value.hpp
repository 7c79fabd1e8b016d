// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/laws/law.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Returns whether the recipe says that a run clips the elements of its gradients: `clip.value`, as the
/// recorder of Python writes what torch.nn.utils.clip_grad_value_ was given.
bool clips_by_value(const RecordedRun& run);

/// Asks the law "clip" of such a run: each gradient after clipping is the one before, clamped to
/// [-value, value]. Elements below the value have the same bits.
///
/// Not asked of a run that clips by norm too, or by several values, or that lacks the elements.
Finding ask_clip_by_value(const RecordedRun& run);

}  // namespace parity::laws
