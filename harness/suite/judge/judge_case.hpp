// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/golden/golden_file.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judge_golden.hpp"
#include "harness/suite/judge/judged_check.hpp"
#include "harness/suite/judge/record_case.hpp"
#include "harness/suite/judge/standing_evidence.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity {

/// Judges a case: its checks, then "it trained" for every arm with a loss, "replicas are
/// equal" for every arm of several ranks, then its golden (compared or
/// recorded, as the mode says; never recorded while a check fails).
/// \param golden    what the case's golden file holds now
/// \param runs      that the arms and their twins belong to, for the evidence that is recorded
/// \param standing  checks that stored evidence answers; it counts where twins did not run
std::vector<JudgedCheck> judge_case(const PlannedCase& planned, const Evidence& evidence,
                                    const StoredGolden& golden, const GoldenPolicy& policy,
                                    const std::map<std::string, RunResult>& runs = {},
                                    const StandingEvidence& standing = {});

/// "all", "warmup", "2-5".
std::string describe_window(const StepWindow& window);

}  // namespace parity
