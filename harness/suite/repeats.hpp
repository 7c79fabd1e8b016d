// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/judge/judged_check.hpp"
#include "harness/suite/plan/planned_case.hpp"
#include "harness/suite/runs/runner.hpp"
#include "harness/suite/runs/store.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {

/// Returns the arm to run once more before it is called different from its golden: the first whose golden
/// check fails so. "" if there is none, or if the case was repeated already. One arm a case is enough, since
/// a change of the code changes most arms.
std::string arm_to_repeat(const PlannedCase& planned, const std::vector<JudgedCheck>& judged);

/// The first difference between two runs of one arm in an update that both recorded in full.
struct UpdateDifference {
  std::string text;     ///< the tensor, and the operator that computes it; "" if nothing differs
  std::string op = {};  ///< "aten::mm", if it gives another result from the same inputs; else ""
};

/// Describes the first difference between two runs of one arm in an update. The search of `bisect` does it.
using UpdateComparison =
    std::function<UpdateDifference(const trace::Trace& one, const trace::Trace& other, int64_t update)>;

/// Returns the next run of an arm whose runs differ, of a golden check's arm that ran twice or of a check of
/// relation `repeats`. Runs that do not repeat themselves may differ at another update each time, so up to
/// `most_watched` runs record the update at which a difference was seen last. Where a condition changes the
/// bits, every second run is without it, and one more is on other cores.
/// \return nothing if no arm differs from itself, two watched runs differ at the update that both recorded,
/// or
///         there are enough of them
std::optional<RunToWatch> run_to_watch(const PlannedCase& planned, const std::vector<JudgedCheck>& judged,
                                       const std::map<std::string, RunResult>& runs, const RunStore& store);

/// Number of further runs that look for the operator.
inline constexpr size_t most_watched = 6;

/// Adds to failed checks what further runs of their arm show. The verdicts stay.
///
/// To a golden check: whether its arm's two runs agree, or where they differ, and the operator. To a check of
/// relation `repeats`: the operator, the flipped bits, whether a rank computed otherwise or bytes changed on
/// the way, and whether the difference is transient, persistent or nondeterministic (`looks_like`).
/// \param compare  not set: names no operator
void describe_repeats(std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                      const std::map<std::string, RunResult>& runs, const RunStore& store,
                      const UpdateComparison& compare);

}  // namespace parity::suite
