// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Returns whether a trace shows that two ranks are data-parallel, so that each must read rows of its own.
/// They hold the same parts of all parameters or gradients, and do not compute other gradients from the same
/// rows. Ranks that cut the model, its layers or its sequences read the same rows.
bool must_read_other_rows(const RecordedRun& run, int64_t step, int64_t one, int64_t other);

}  // namespace parity::laws
