// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// The times at which the suite noticed the end of its runs, by run id. Cached runs are not included.
using RunEnds = std::map<std::string, std::chrono::steady_clock::time_point>;

/// Returns the ids of a case's runs, each once, without spare twins that do not run.
std::vector<std::string> runs_of(const PlannedCase& planned);

/// Returns where a case's time went [seconds]:
/// - training: in updates, by the channel step_seconds of each run's rank 0; the whole time of a run without
///   that channel.
/// - start: the rest of its runs, which is starting processes, building models and writing traces.
/// - judging: from `judged` until now.
/// - waiting: from the end of its last run until `judged`, while the suite judged other cases.
///
/// A cached run counts with the time that it took when it ran.
results::CaseTimes case_times(const PlannedCase& planned, const Evidence& evidence,
                              const std::map<std::string, RunResult>& runs, const RunEnds& ends,
                              std::chrono::steady_clock::time_point judged);

}  // namespace parity::suite
