// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// Compares the residues of two exact twins at each update of the check's window: every gradient, moment and
/// parameter. The verdict is `identical` or `different`; `passed` is not set. `measured` has tensors and
/// tensors_differing.
/// \throws MissingEvidence if a side has no residues, the residues are of different draws, no gradient or
///         parameter was recorded, a channel is not finite, or the check names a channel or tensor
CheckResult judge_residues(const Check& check, const std::vector<Side>& sides);

}  // namespace parity::compare
