// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/suite/judge/judged_check.hpp"
#include "harness/suite/plan/planned_case.hpp"
#include "harness/suite/runs/runner.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Returns the arm to run once more before it is called different from its golden: the first whose golden
/// check fails so. "" if there is none, or if the case was repeated already. One arm a case is enough, since
/// a change of the code changes most arms.
std::string arm_to_repeat(const PlannedCase& planned, const std::vector<JudgedCheck>& judged);

/// Adds to the failed golden checks of an arm that ran twice whether its two runs agree in all that they
/// recorded, and where they do not. The verdicts stay.
void describe_repeats(std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                      const std::map<std::string, RunResult>& runs, const RunStore& store);

}  // namespace parity::suite
