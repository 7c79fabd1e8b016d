// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/trace/format/capture.hpp"

namespace parity {

/// How long a run is, and where its warmup ends.
struct RunLength {
  int64_t steps = 0;
  int64_t warmup_steps = 0;
  bool known = true;  ///< else `steps` is a guess: a command that does not say how long it trains
};

/// Most updates whose tensors one check, or the table [capture], may ask for. A capture lists them one by
/// one.
inline constexpr int64_t most_captured_steps = 10'000;

/// Updates first..last; none where last < first.
struct StepRange {
  int64_t first = 1;
  int64_t last = 0;

  bool empty() const { return last < first; }
};

/// The update numbers of a window, within 1..steps.
StepRange range_of(const StepWindow& window, const RunLength& length);

/// What one check needs of its arms: digests and sketches where bits decide, whole tensors where a gap is
/// measured (equivalent, distinct, bounded), also on the twins. In a run of unknown length a window that
/// names no steps needs every step.
/// \throws UserError if these are tensors of more than most_captured_steps updates
Capture needs_of_check(const Check& check, const RunLength& length);

/// What a golden keeps: digests and sketches of gradients and parameters at the first and last update.
Capture needs_of_golden(const RunLength& length);

/// What the case's [capture] table asks for: whole tensors. \throws UserError as needs_of_check
Capture needs_of_capture(const CaptureSpec& spec);

}  // namespace parity
