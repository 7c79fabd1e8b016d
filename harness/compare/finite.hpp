// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/coverage.hpp"
#include "harness/compare/side.hpp"

namespace parity {

/// Returns the first value that a comparison took and that is not finite: "loss of b is inf at step 5"; "" if
/// all are finite. Runs that overflow alike have the same bits and show nothing about what they compute.
/// \param sides  those of the check; found by name
/// \throws UserError if a tensor without a row of sketches cannot be read
std::string non_finite_value(const Coverage& coverage, const std::vector<Side>& sides);

}  // namespace parity
