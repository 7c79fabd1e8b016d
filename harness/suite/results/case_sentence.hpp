// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/compare/verdict.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity {

/// What the case found, in a word: of the first check that failed, else the farthest apart that two arms
/// were.
Verdict verdict_of(const std::vector<JudgedCheck>& judged);

/// What the case found, in a sentence: why an arm failed, else the first check that failed, else what agrees.
/// \param arms  `arms` of results.json
std::string sentence_of(const Case& source, const std::vector<JudgedCheck>& judged, Verdict verdict,
                        const Json& arms);

}  // namespace parity
