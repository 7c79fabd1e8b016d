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

/// Describes the first difference between two runs of one arm in an update that both recorded in full: the
/// tensor, and the operator that computes it. Returns "" if nothing differs. The search of `bisect` does it.
using UpdateComparison =
    std::function<std::string(const trace::Trace& one, const trace::Trace& other, int64_t update)>;

/// A further run of an arm to add.
struct RunToWatch {
  std::string arm;
  int64_t update = 1;  ///< to record in full
};

/// Returns the next run of an arm whose two runs differ. Runs that do not repeat themselves may differ at
/// another update each time, so up to `most_watched` runs record the update at which a difference was seen
/// last.
/// \return nothing if no arm was repeated, its runs agree, two watched runs differ at the update that both
///         recorded, or there are enough of them
std::optional<RunToWatch> run_to_watch(const PlannedCase& planned,
                                       const std::map<std::string, RunResult>& runs, const RunStore& store);

/// Number of further runs that look for the operator.
inline constexpr size_t most_watched = 6;

/// Adds to the failed golden checks of an arm that ran twice whether its two runs agree in all that they
/// recorded. If they do not, adds where, and the operator that a watched run shows. The verdicts stay.
/// \param compare  not set: names no operator
void describe_repeats(std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                      const std::map<std::string, RunResult>& runs, const RunStore& store,
                      const UpdateComparison& compare);

}  // namespace parity::suite
