// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/checkpoints/comparison.hpp"

namespace parity::cli {

/// Prints the difference of two checkpoints for people: modules, tensors that differ, the heat map of blocks,
/// the rules that were found, and notes.
/// \param all  shows identical modules and every rule too
void print_checkpoints(const checkpoints::CheckpointDifference& difference, bool all);

/// Returns the findings that do not agree, the largest gap first.
std::vector<const checkpoints::Finding*> worst_findings(const checkpoints::CheckpointDifference& difference);

/// Returns how a tensor does not agree, without its name and note: its gap and both values of the worst
/// element.
std::string describe_finding(const checkpoints::Finding& finding);

/// Returns "second is first, transposed; bit for bit (12 tensors)".
std::string describe_rule(const checkpoints::RuleSummary& rule);

}  // namespace parity::cli
