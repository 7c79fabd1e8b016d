// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/checkpoints/match/finding.hpp"

namespace parity::checkpoints {

/// Returns a table with a line for each block and a column for each kind of tensor that differs somewhere.
/// Neighbouring blocks that agree are one line. "" if there are fewer than two blocks or nothing differs.
///
/// | cell       | meaning                                                         |
/// | "="        | the tensors agree                                               |
/// | a number   | relative L2 difference                                          |
/// | "rule"     | the bits agree by another rule than the names call for          |
/// | "one side" | the other checkpoint has no such tensor                         |
///
/// \param columns  most columns; those with the largest differences are kept, and the rest is counted
std::string heat_map(const std::vector<Finding>& findings, size_t columns);

}  // namespace parity::checkpoints
