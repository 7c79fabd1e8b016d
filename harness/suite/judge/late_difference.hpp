// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/arm_evidence.hpp"

namespace parity::suite {

/// Makes a derived proof that two arms are distinct unproved, in place of refuted, where the arms begin to
/// differ only after its updates: their exact twins have equal residues, and their own runs the same bits in
/// every channel. A learning rate that decays later is such a difference. Likewise where a generator makes
/// the difference, since a proof takes its rollouts as given.
void excuse_late_difference(compare::CheckResult& result, const compare::Check& check,
                            const std::map<std::string, compare::ArmEvidence>& arms);

}  // namespace parity::suite
