// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/arm_evidence.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {

/// Returns that two runs start from different weights, as "A and B start from different weights (…)". Returns
/// "" if the weights are equal, unknown, or of different dtypes.
///
/// parity-train states a digest of all weights, which ranks and devices do not change. Other programs record
/// step 0 of phase param; tensors with one name, shape and dtype on both sides are compared.
std::string describe_first_weights(const std::string& a, const trace::Trace& trace_a, const std::string& b,
                                   const trace::Trace& trace_b);

/// Puts different first weights before what a check of two arms says, if it failed, is `distinct`, or is
/// about exact twins: what follows then has another cause than the case asks about. Residues do not depend on
/// the weights' values, so `same_function` fails with them: the two are not the same training.
void add_first_weights(compare::CheckResult& result, const compare::Check& check,
                       const std::map<std::string, compare::ArmEvidence>& arms);

}  // namespace parity::suite
