// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/side.hpp"
#include "harness/compare/twin_evidence.hpp"

namespace parity {

/// Returns what the float64 twins of two arms show of a check: stored evidence where the sides have it, else
/// a measurement of their twins.
///
/// Norms run over the steps of the window, and over the elements for tensors. A tensor's name is one
/// quantity.
/// \throws MissingEvidence without twins, where something was not recorded, or where an arm is float64 itself
TwinEvidence twin_evidence_of(const Check& check, const std::vector<Side>& sides);

/// Names the first value of a channel that is not finite in any of these runs; "" if all are finite.
std::string non_finite_text(const std::string& channel, const std::vector<const Side*>& sides,
                            const std::vector<int64_t>& steps);

/// sqrt(a^2 + b^2), to add up norms.
double hypotenuse(double a, double b);

}  // namespace parity
