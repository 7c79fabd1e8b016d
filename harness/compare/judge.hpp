// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/arm_evidence.hpp"
#include "harness/compare/check.hpp"

namespace parity {

/// Judges one check of a case.
///
/// A NaN agrees with nothing, also not with a NaN. Quantities that one side lacks give `missing`; a check
/// that matches no quantity gives `missing`, and so does one that would pass although something that it asks
/// for was not compared (coverage.hpp). Never throws for what the traces hold.
///
/// \param arms          every arm the check names
/// \param stored_twins  what the arms' float64 twins showed when they last ran, judged instead of their
///                      twins; null: the twins are there, or none are needed
/// Source: DESIGN.md, "Judging"; METRICS.md M1-M3.
CheckResult judge(const Check& check, const std::map<std::string, ArmEvidence>& arms,
                  const TwinEvidence* stored_twins = nullptr);

}  // namespace parity
