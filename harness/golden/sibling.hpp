// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/judge.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::golden {

/// Judges a check of relation no_farther whose sibling is a pair of another case. The sibling's gap is that
/// of the other case's golden, so the sibling does not run.
/// \param arms    every arm of the check
/// \param stored  the other case's golden
compare::CheckResult judge_against_sibling(const compare::Check& check,
                                           const std::map<std::string, compare::ArmEvidence>& arms,
                                           const StoredGolden& stored);

}  // namespace parity::golden
