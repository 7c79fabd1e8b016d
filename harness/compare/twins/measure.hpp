// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/twin_evidence.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Returns what the float64 twins of two arms show for a check: stored evidence if the sides have it,
/// otherwise a measurement of their twins.
///
/// Norms run over the steps of the window, and over the elements for tensors. All tensors of one name are one
/// quantity.
/// \throws MissingEvidence if there are no twins, something was not recorded, or an arm is float64 itself
TwinEvidence twin_evidence_of(const Check& check, const std::vector<Side>& sides);

/// Returns the first value of a channel that is not finite in any of these runs, in words; "" if all are
/// finite.
std::string non_finite_text(const std::string& channel, const std::vector<const Side*>& sides,
                            const std::vector<int64_t>& steps);

/// Returns sqrt(a^2 + b^2), to add norms.
double hypotenuse(double a, double b);

}  // namespace parity::compare
