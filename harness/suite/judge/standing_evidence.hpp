// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/golden/evidence_binding.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity::suite {

/// The use of the float64 evidence that goldens hold.
enum class EvidenceMode {
  stored,  ///< use it; twins run only where it is not valid
  again,   ///< ignore it; every twin that a check needs runs
};

constexpr auto enum_names(EvidenceMode) {
  return named<EvidenceMode::again>("evidence mode", {"stored", "again"});
}

/// A check that stored evidence answers.
struct StandingCheck {
  golden::EvidenceOrigin origin;
  compare::CheckResult result;  ///< judged now, from the float32 arms that ran and the stored twins
};

/// The checks that stored evidence answers, by the index of the check in its case.
using StandingEvidence = std::map<size_t, StandingCheck>;

/// Judges each check that needs float64 twins with the twins' values in the golden, and returns those that
/// stored evidence answers.
///
/// Evidence is valid if its binding (evidence_binding) is exactly that of the present runs, and the check
/// holds with the stored verdict. It is never used for arms that are derived, changed by `--set` or have
/// faults.
/// \param golden  the content of the case's golden file
StandingEvidence standing_evidence(const PlannedCase& planned, const Evidence& evidence,
                                   const golden::StoredGolden& golden);

/// Returns the arms whose spare twins must run: those of checks that need twins and have no valid evidence.
/// Leaves out checks of a crashed arm, since twins do not change their result.
std::vector<std::string> arms_without_evidence(const PlannedCase& planned, const Evidence& evidence,
                                               const StandingEvidence& standing);

/// Returns the origin of the evidence of a check that was judged now, to store in its golden.
/// \param producer  origin of the judging program; its commit is used if the trainer names none
golden::EvidenceOrigin evidence_origin(const compare::Check& check, const PlannedCase& planned,
                                       const Evidence& evidence, const std::map<std::string, RunResult>& runs,
                                       const golden::GoldenOrigin& producer);

}  // namespace parity::suite
