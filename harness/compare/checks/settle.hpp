// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/coverage.hpp"

namespace parity::compare {

/// Adds what was asked and found to what a relation compared. A passing result becomes `missing` if what was
/// compared differs from what was asked, or if nothing was compared.
/// \param asked  sides in the order of the relation; their `compared` is ignored
CheckResult settle(CheckResult result, const std::vector<CoveredSide>& asked);

}  // namespace parity::compare
