// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/laws/run/recorded_run.hpp"

// Whether two ranks must read other rows. Ranks that cut the model, its layers or its sequences rightly read
// the same ones, and their tensors may look like those of replicas. So only a declaration counts.

namespace parity::laws {

/// Returns whether a trace declares that two ranks average their gradients. The recorder of Python lists the
/// ranks of DistributedDataParallel; a layout of phase grad_local gives ranks the terms of a mesh dimension
/// "dp".
bool are_data_parallel(const RecordedRun& run, int64_t step, int64_t one, int64_t other);

/// Returns whether a trace declares that all ranks average their gradients, so that none cuts anything.
bool are_all_data_parallel(const RecordedRun& run, int64_t step);

/// Returns whether two ranks computed other gradients of some parameter: of other rows, of another share of
/// the same ones, or with another dropout.
bool compute_other_gradients(const RecordedRun& run, int64_t step, int64_t one, int64_t other);

}  // namespace parity::laws
