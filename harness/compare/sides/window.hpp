// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/side.hpp"
#include "harness/compare/text/step_set.hpp"

namespace parity::compare {

/// A check's window with its ends resolved: update numbers `first` to `last`.
struct ResolvedWindow {
  int64_t first = 1;
  int64_t last = 0;

  bool contains(int64_t step) const { return first <= step && step <= last; }
};

/// Returns the updates that the sides were started for; for a side without a stated number, those that it
/// recorded.
/// \throws MissingEvidence if there are none
StepSet asked_updates(const std::vector<Side>& sides);

/// Returns the first and the last of the asked updates.
ResolvedWindow updates_of(const std::vector<Side>& sides);

/// Returns the ends of a window over the updates that the sides were started for (asked_updates).
///
/// W is the number of warm-up updates. `warmup` is 1..W where every side is warming up (the smaller W).
/// `after_warmup` starts where no side is (the larger W, plus 1). Both end with the run. A `range` must begin
/// and end where the runs have updates, because a claim about steps that nobody ran is invalid.
/// \throws MissingEvidence if the window is empty or beyond the run
ResolvedWindow resolve(const StepWindow& window, const std::vector<Side>& sides);

/// Returns the steps inside the window that the sides were started for, in order.
/// \throws MissingEvidence if there are none
std::vector<int64_t> steps_in(const ResolvedWindow& window, const std::vector<Side>& sides);

/// Returns the window as text: "warmup", "all" or "steps 3-7".
std::string window_text(const StepWindow& window);

}  // namespace parity::compare
