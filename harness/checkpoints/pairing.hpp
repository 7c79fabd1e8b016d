// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/checkpoints/files/checkpoint.hpp"
#include "harness/checkpoints/match/finding.hpp"
#include "harness/checkpoints/match/name_rules.hpp"

namespace parity::checkpoints {

/// Finds the tensors that belong together and searches a rule for each: by name, by role, as parts of one
/// tensor, as tied matrices, and at last by their values.
/// \param globs  names to compare, on either side; empty: all
std::vector<Finding> pair_tensors(const Checkpoint& expected, const Checkpoint& actual,
                                  const NameRules& renamed, const std::vector<std::string>& globs,
                                  const SearchOptions& options);

}  // namespace parity::checkpoints
