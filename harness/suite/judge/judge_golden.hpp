// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/golden/golden.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judged_check.hpp"

namespace parity::suite {

/// Returns the checks of the case against its golden.
std::vector<compare::Check> claims_on_golden(const Case& source);

/// Compares the arms that ran with the case's golden; adds one check for each arm and quantity. A golden of
/// which the case names no arm fails.
void judge_golden(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                  const golden::StoredGolden& golden, golden::DriftMode drift);

/// Adds one finding about the golden as a whole.
void add_golden_finding(std::vector<JudgedCheck>& judged, const Case& source, bool passed,
                        compare::Verdict verdict, const std::string& sentence);

}  // namespace parity::suite
