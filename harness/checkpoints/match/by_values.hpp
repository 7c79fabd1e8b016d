// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/checkpoints/match/finding.hpp"

namespace parity::checkpoints {

/// Tensors of both sides that a rule makes equal.
struct ValuePair {
  const Item* expected = nullptr;
  const Item* actual = nullptr;
  Rule rule;
};

/// Finds tensors with equal bits, as they are or transposed. A tensor whose elements are all the same proves
/// nothing, nor does one that equals several others: these are left out.
std::vector<ValuePair> pairs_by_values(const std::vector<Item*>& expected, const std::vector<Item*>& actual);

/// Adds a note to each tensor that does not agree and has the bits of another name on the other side: of a
/// swapped one, or of one that its values do not pair, since several have them.
void note_equal_bits(std::vector<Finding>& findings);

}  // namespace parity::checkpoints
