// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/checks/coverage.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Returns the first value used by a comparison that is not finite: "loss of b is inf at step 5". "" if all
/// are finite. Two runs that both overflow can have the same bits, which says nothing about what they
/// compute.
/// \param sides  sides of the check, found by name
/// \throws UserError if a tensor without a sketch row cannot be read
std::string non_finite_value(const Coverage& coverage, const std::vector<Side>& sides);

}  // namespace parity::compare
