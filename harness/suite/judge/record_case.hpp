// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/golden/golden.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judged_check.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity::suite {

/// The treatment of goldens in a suite.
struct GoldenPolicy {
  golden::GoldenMode mode = golden::GoldenMode::compare;
  golden::GoldenOrigin origin;  ///< case_name and command are set for each case
  std::string reason;           ///< why stored values may change; "": they may not
  golden::DriftMode drift = golden::DriftMode::notice;
  bool variant = false;  ///< record drifted values as a further variant, next to the stored ones
};

/// Returns whether the golden will be written if the case's checks hold.
bool will_record(const Case& source, golden::GoldenMode mode);

/// Records the values of the case's arms and the evidence of their float64 twins, unless a check failed. Adds
/// a finding that says what was recorded, or why nothing was.
/// \param judged  every check of the case
/// \param runs    results of the runs of arms and twins
void record_case(std::vector<JudgedCheck>& judged, const PlannedCase& planned, const Evidence& evidence,
                 const std::map<std::string, RunResult>& runs, const golden::StoredGolden& golden,
                 const GoldenPolicy& policy);

}  // namespace parity::suite
