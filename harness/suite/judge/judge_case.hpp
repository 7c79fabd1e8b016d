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

namespace parity::suite {

/// Judges a case and returns one entry for each claim, in this order: its checks, "it trained" for every arm
/// with a loss, "replicas are equal" for every arm of several ranks, "it is lawful" for every arm whose trace
/// allows to ask a law, its golden.
///
/// Compares or records the golden, depending on the mode. Never records it while a check fails.
/// \param golden    the content of the case's golden file
/// \param runs      results of the runs of arms and twins, for the evidence to record
/// \param standing  checks that stored evidence answers; used where twins did not run
std::vector<JudgedCheck> judge_case(const PlannedCase& planned, const Evidence& evidence,
                                    const golden::StoredGolden& golden, const GoldenPolicy& policy,
                                    const std::map<std::string, RunResult>& runs = {},
                                    const StandingEvidence& standing = {});

/// Returns a window in words: "all", "warmup", "2-5".
std::string describe_window(const compare::StepWindow& window);

}  // namespace parity::suite
