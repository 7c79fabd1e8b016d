// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/law.hpp"
#include "harness/laws/run/clip_sets.hpp"
#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// A norm that was computed from a trace.
struct SetNorm {
  double value = 0;
  double bound = 0;  ///< relative

  bool agrees(double recorded) const { return std::abs(recorded - value) <= bound * value; }
};

/// Returns the norm of a set's gradients at an update, in float64: before clipping. Nothing if the trace
/// lacks one of its gradients, their elements for another order than 2, if the order is none of 1, 2 and
/// infinity, or if a later update has gradients of other parameters than the first: older traces have the
/// sets of the first update alone.
std::optional<SetNorm> set_norm(const RecordedRun& run, int64_t step, const ClipSet& set,
                                trace::Phase phase = trace::Phase::grad);

/// Returns whether the trace shows that these are the gradients of all parameters that an update changed. The
/// recipe counts as many, or the changes of the parameters give the channel update_norm.
bool has_all_gradients(const RecordedRun& run, int64_t step, const std::vector<std::string>& names);

/// Asks the law "grad_norm" of a run whose norm has another order than 2, or that clips several sets: each
/// channel is the norm of its set. It may also be the L2 norm of all gradients, as trainers log it.
Finding ask_set_norms(const RecordedRun& run, const std::vector<ClipPeriod>& periods);

}  // namespace parity::laws
