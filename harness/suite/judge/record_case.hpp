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

namespace parity {

/// How goldens are treated in this suite.
struct GoldenPolicy {
  GoldenMode mode = GoldenMode::compare;
  GoldenOrigin origin;  ///< case_name and command are filled in per case
  std::string reason;   ///< why stored values may change; without one they do not
  DriftMode drift = DriftMode::notice;
  bool variant = false;  ///< what drifted is kept beside what is stored
};

/// Whether the golden will be written if the case's checks hold.
bool will_record(const Case& source, GoldenMode mode);

/// Stores what the case's arms gave, and what their float64 twins showed, unless a check failed. Adds what
/// was done, or why nothing was, to the checks.
/// \param judged  every check of the case
/// \param runs    that the arms and their twins belong to
void record_case(std::vector<JudgedCheck>& judged, const PlannedCase& planned, const Evidence& evidence,
                 const std::map<std::string, RunResult>& runs, const StoredGolden& golden,
                 const GoldenPolicy& policy);

}  // namespace parity
