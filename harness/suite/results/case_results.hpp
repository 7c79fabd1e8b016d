// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judge_case.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity::suite {

/// Returns why a case cannot be judged on this machine: a run found no device to compute on, and no run
/// failed in another way. Returns "" if it can be judged.
std::string skip_reason(const PlannedCase& planned, const std::map<std::string, RunResult>& runs);

/// Returns the results of a judged case.
/// \param judged  empty for a skipped case
/// \param golden  content of the case's golden; empty without one
/// \param out     folder of results.json; paths of traces are relative to it
results::Case case_results(const PlannedCase& planned, const Evidence& evidence,
                           std::vector<JudgedCheck> judged, const golden::GoldenContent& golden,
                           const std::map<std::string, RunResult>& runs, const std::filesystem::path& out);

}  // namespace parity::suite
