// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/coverage/propose/proposed_case.hpp"

namespace parity::coverage {

/// Returns the case file of a proposal: its base, a plain arm, the other arms, and checks that each of them
/// is equivalent to the plain arm.
std::string case_text(const ProposedCase& proposed);

}  // namespace parity::coverage
