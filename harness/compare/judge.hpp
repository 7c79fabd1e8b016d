// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/arm_evidence.hpp"

namespace parity::compare {

/// Judges one check of a case.
///
/// A NaN agrees with nothing, not even with a NaN. The verdict is `missing` if a side lacks a quantity, or if
/// the check matches none. It is `missing` too if the check would pass although something it asks for was not
/// compared (checks/coverage.hpp). Never throws for the content of the traces.
///
/// \param arms          every arm that the check names
/// \param stored_twins  what the arms' float64 twins showed when they last ran, used instead of their twins;
///                      null if the twins are there, or none are needed
///
/// Source: harness/compare/README.md, "How equality is judged".
CheckResult judge(const Check& check, const std::map<std::string, ArmEvidence>& arms,
                  const TwinEvidence* stored_twins = nullptr);

}  // namespace parity::compare
