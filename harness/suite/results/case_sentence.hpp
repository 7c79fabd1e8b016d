// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/checks/verdict.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity::suite {

/// Returns the verdict of a case: that of the first failed check, or else the largest difference between two
/// arms.
compare::Verdict verdict_of(const std::vector<JudgedCheck>& judged);

/// Returns the result of a case as a sentence: why an arm failed, or else the first failed check, or else
/// what agrees.
/// \param arms  the member `arms` of results.json
std::string sentence_of(const Case& source, const std::vector<JudgedCheck>& judged, compare::Verdict verdict,
                        const std::vector<results::Arm>& arms);

}  // namespace parity::suite
