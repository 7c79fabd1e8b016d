// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/reveal/probe.hpp"
#include "harness/reveal/summation_tree.hpp"

namespace parity::reveal {

/// How the additions and products of a tree are rounded.
struct Arithmetic {
  std::vector<DType> partial_sums = {};  ///< of each node of the tree; entries of leaves are not read
  std::vector<bool> fused = {};          ///< of each leaf: its product enters the sum unrounded
};

/// Finds how an operator rounds.
///
/// Type of a partial sum: 1 and 2^-k are added below its node, and -1 above it. What is left says whether
/// 2^-k was kept. The root has the widest type of the nodes below it, since its own cannot be seen apart from
/// the result's. Fused products: the square of 1 + 2^-h needs one bit more than the type has; a sum with its
/// negative rounded value shows that bit if the product was not rounded.
Arithmetic find_arithmetic(const SummingOperator& op, const SummationTree& tree);

}  // namespace parity::reveal
