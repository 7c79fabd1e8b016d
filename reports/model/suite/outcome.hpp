// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/suite/results.hpp"

/// Words for the outcome of a whole suite, which every renderer shares.
namespace parity::reports {

/// Returns "54 golden files take 13.6 MiB of the 64 MiB they may take"; "" if the results do not have it.
std::string golden_size_label(const Results& results);

/// Returns a sentence that states the suite's outcome, with "3 of 4 cases hold, 1 fails".
std::string outcome(const Results& results);

/// Returns in what merged results differ: "Mixed results, merged of different origins (commit: ...)"; "" if
/// they are of one origin. outcome() begins with it.
std::string mixed_label(const Results& results);

}  // namespace parity::reports
