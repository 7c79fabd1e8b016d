// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/difference.hpp"
#include "harness/measure/share_work.hpp"
#include "harness/measure/whole_digest.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity {

/// What measure_difference measures, and with how many threads.
struct DifferenceOptions {
  DifferencePolicy policy = {};  ///< what counts as equal
  bool profile = false;          ///< whether Difference::profile is set
  bool digests = false;          ///< whether Difference::digests is set
  int threads = 0;  ///< at most; 0: as many as there are cores for this process
  /// Told of some megabytes of either side at a time that are not needed any more; from any of the threads.
  DoneWithBytes done = {};
};

/// One pass over both; float64 accumulation, block by block in index order.
///
/// Squares of float64 values beyond about 1e154 overflow, which gives infinite or NaN norms; those below
/// 1e-154 count as 0.
/// \param expected  [any shape] any dtype; the reference side
/// \param actual    same shape and dtype
/// \throws UserError "shape (2, 3) against (3, 2) (cannot align)"
/// Determinism: the same bits on every machine and for any number of threads.
/// Source: METRICS.md M1-M3.
Difference measure_difference(const TensorView& expected, const TensorView& actual,
                              const DifferenceOptions& options = {});

}  // namespace parity
