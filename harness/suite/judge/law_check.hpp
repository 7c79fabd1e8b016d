// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/compare/judge.hpp"
#include "harness/suite/judge/judged_check.hpp"

namespace parity::suite {

/// Returns the check that the laws of training hold in the run of an arm; no case has to ask for it.
///
/// Returns nothing for a run that did not end well, for one with injected faults, and for a trace that allows
/// to ask no law. A run that computes something else on purpose needs a check of relation `lawful` that says
/// so, and then has no such check here.
std::optional<JudgedCheck> law_check(const std::string& arm,
                                     const std::map<std::string, compare::ArmEvidence>& arms);

}  // namespace parity::suite
