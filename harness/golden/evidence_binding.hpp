// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/judge.hpp"
#include "harness/golden/evidence_record.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::golden {

/// Returns the binding of evidence of a check to its arms as they ran now.
///
/// An arm that the golden stores is bound to what is stored of it; any other arm is bound to all its
/// channels.
/// \return nothing unless the golden is intact and each arm of the check finished with every value that the
///         check judges. Each arm must also agree bit for bit with all that the golden (or the variant of its
///         environment) stores of it.
std::optional<EvidenceBinding> evidence_binding(const compare::Check& check, const Golden& golden,
                                                const std::map<std::string, compare::ArmEvidence>& arms);

/// Returns the record with exactly this binding; null if there is none.
const EvidenceRecord* find_evidence(const GoldenEvidence& evidence, const EvidenceBinding& binding);

/// Returns the evidence for a golden after a recording: fresh evidence, and records of other environments
/// that are still bound to what the golden stores.
///
/// A record with the same binding and the same numbers stays unchanged, date included, so recording twice
/// gives the same bytes.
/// \param before  evidence that the file held
/// \param golden  the golden to be written, without its evidence
/// \param arms    every arm of the case, including those that the golden does not store
GoldenEvidence renewed_evidence(const GoldenEvidence& before, const Golden& golden,
                                const std::map<std::string, compare::ArmEvidence>& arms,
                                const std::vector<FreshEvidence>& fresh);

}  // namespace parity::golden
