// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/checkpoints/comparison.hpp"
#include "harness/checkpoints/files/checkpoint.hpp"
#include "reports/compare/comparison.hpp"

namespace parity::cli {

/// Returns what a page shows of a comparison of checkpoints: heat map of blocks, modules, tensors that
/// differ, and the rule that was found for each name.
/// \param sides  at least two
/// \param pairs  the differences of the second side and the following from the first
reports::Comparison comparison_of_checkpoints(const std::vector<checkpoints::Checkpoint>& sides,
                                              const std::vector<checkpoints::CheckpointDifference>& pairs);

}  // namespace parity::cli
