// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/checkpoints/match/finding.hpp"

namespace parity::checkpoints {

/// Makes pairs that were found by their values different unless their names are one renaming:
///
/// - Numbers of a list keep their order. "stage.0" to "stage.3" may be "tower.4" to "tower.7", or
///   "part.0.2" may be "layer.2", but two layers may not change places.
/// - Words do not change places. "query" may be "q", but not "key" where "key" is "query".
///
/// Equal bits alone do not show that a tensor is at its place in the model.
void review_renaming(std::vector<Finding>& findings);

}  // namespace parity::checkpoints
