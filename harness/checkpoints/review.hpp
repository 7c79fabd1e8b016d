// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/checkpoints/match/finding.hpp"

namespace parity::checkpoints {

/// Compares the rules of all findings with each other, since a rule that only some tensors need is a defect:
///
/// - a square matrix is transposed if matrices of other shapes are, and only then
/// - tensors of one role have one rule in all blocks
/// - all permutations are within heads of one size
/// - names of pairs that were found by their values are one renaming (review_renaming())
///
/// \param head_size  of the model, as its config says; 0 if unknown
void review_rules(std::vector<Finding>& findings, const SearchOptions& options, int64_t head_size = 0);

}  // namespace parity::checkpoints
