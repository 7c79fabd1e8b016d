// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "harness/coverage/propose/proposed_case.hpp"

namespace parity::coverage {

/// Gives a proposal other seeds, sizes and layouts, at random. Its arms stay equivalent by construction, but
/// the trainer may refuse some of them.
void vary(ProposedCase& proposed, std::mt19937_64& random);

}  // namespace parity::coverage
