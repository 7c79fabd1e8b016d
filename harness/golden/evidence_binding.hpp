// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/judge.hpp"
#include "harness/golden/evidence_record.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity {

/// Returns what binds evidence of a check to its arms as they ran now.
///
/// An arm that the golden keeps is bound to what is stored of it, another one to all its channels.
/// \return nothing unless the golden is intact and each arm of the check finished, gives every value that the
///         check judges, and agrees bit for bit with all that the golden (or the variant of its environment)
///         stores of it
std::optional<EvidenceBinding> evidence_binding(const Check& check, const Golden& golden,
                                                const std::map<std::string, ArmEvidence>& arms);

/// Returns the record that is bound to exactly this; null if there is none.
const EvidenceRecord* find_evidence(const GoldenEvidence& evidence, const EvidenceBinding& binding);

/// Returns the evidence that a golden is to hold after a recording: fresh evidence, and records of other
/// environments that are still bound to what it stores.
///
/// A record that is bound to the same and shows the same numbers stays as it is, date included, so recording
/// twice gives the same bytes.
/// \param before  what the file held
/// \param golden  as it will be written, but for its evidence
/// \param arms    of the case, those that the golden does not keep as well
GoldenEvidence renewed_evidence(const GoldenEvidence& before, const Golden& golden,
                                const std::map<std::string, ArmEvidence>& arms,
                                const std::vector<FreshEvidence>& fresh);

}  // namespace parity
