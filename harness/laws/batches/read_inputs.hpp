// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/laws/batches/departures.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Compares what the model read of an update ("read/NAME", joined over ranks and pieces) with the update's
/// own inputs, bit for bit: tokens, labels, positions, and the first key of each query in the mask.
void check_read_inputs(const RecordedRun& run, int64_t step, Finding& finding, Departures& departures);

}  // namespace parity::laws
