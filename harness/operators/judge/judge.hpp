// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/arm_evidence.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// Judges one check of an operator case, at each point of the sweep by itself: a window over all shapes would
/// hide a defect at one small shape behind the rounding of a large one.
///
/// The result passes if the claim holds for every tensor at every point. It is `missing` if a side lacks a
/// point or a tensor that another side has, or if the arms did not get the same inputs; `crashed` if an arm
/// did not finish; `vacuous` if the check would also pass for one of the negative controls (controls.hpp).
/// Never throws for the content of the traces.
///
/// \param check  has `of_operator`
/// \param arms   every arm that the check names, and its exact reference
compare::CheckResult judge(const compare::Check& check, const Problem& problem,
                           const std::map<std::string, compare::ArmEvidence>& arms);

}  // namespace parity::operators
