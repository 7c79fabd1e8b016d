// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/coverage.hpp"

namespace parity {

/// Adds what was asked and found to what a relation compared. A result that passed becomes `missing` where
/// the two are not the same, or nothing was compared.
/// \param asked  the sides in the order of the relation; what they have under `compared` is not looked at
CheckResult settle(CheckResult result, const std::vector<CoveredSide>& asked);

}  // namespace parity
