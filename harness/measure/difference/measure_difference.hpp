// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/difference/difference.hpp"
#include "harness/measure/lanes/share_work.hpp"
#include "harness/measure/tensor/whole_digest.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity::measure {

struct DifferenceOptions {
  DifferencePolicy policy = {};
  bool profile = false;
  bool digests = false;
  int threads = 0;  ///< most threads; 0: as many as this process has cores
  /// Called with each few megabytes of either side that are no longer needed; from any worker thread.
  DoneWithBytes done = {};
};

/// Measures the difference of two tensors in one pass. Sums are in float64, block by block in index order.
///
/// Squares of float64 values beyond about 1e154 overflow, which gives infinite or NaN norms; those below
/// 1e-154 count as 0.
/// \param expected  [any shape] any dtype; the reference side
/// \param actual    same shape and dtype
/// \throws UserError "shape (2, 3) against (3, 2) (cannot align)"
///
/// Determinism: the same bits on every machine and for any number of threads. Source: METRICS.md M1-M3.
Difference measure_difference(const TensorView& expected, const TensorView& actual,
                              const DifferenceOptions& options = {});

}  // namespace parity::measure
