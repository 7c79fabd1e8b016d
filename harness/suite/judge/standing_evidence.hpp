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

namespace parity {

/// What becomes of the evidence of float64 twins that goldens hold.
enum class EvidenceMode {
  stored,  ///< twins run only where it does not stand
  again,   ///< every twin that a check needs runs
};

template <>
struct EnumNames<EvidenceMode> {
  static constexpr std::string_view what = "evidence mode";
  static constexpr std::array<std::string_view, 2> names = {"stored", "again"};
};

/// A check that stored evidence answers.
struct StandingCheck {
  EvidenceOrigin origin;
  CheckResult result;  ///< judged now: the float32 arms as they ran, their twins as they were stored
};

/// By the number of the check in its case.
using StandingEvidence = std::map<size_t, StandingCheck>;

/// Judges each check that needs float64 twins by what the golden holds of them. Evidence stands if it is
/// bound to exactly what ran now (evidence_binding), and the check holds with the verdict it had. Arms that
/// were derived, changed by --set or given faults never rest on evidence.
/// \param golden  what the case's golden file holds now
StandingEvidence standing_evidence(const PlannedCase& planned, const Evidence& evidence,
                                   const StoredGolden& golden);

/// Returns the arms whose spare twins must run: those of checks that need twins and have no evidence. A check
/// of an arm that crashed is not among them, since twins do not change what it finds.
std::vector<std::string> arms_without_evidence(const PlannedCase& planned, const Evidence& evidence,
                                               const StandingEvidence& standing);

/// Returns where the evidence of a check that was judged now comes from, to be kept in its golden.
/// \param producer  of the program that judges, with its commit where the trainer names none
EvidenceOrigin evidence_origin(const Check& check, const PlannedCase& planned, const Evidence& evidence,
                               const std::map<std::string, RunResult>& runs, const GoldenOrigin& producer);

}  // namespace parity
