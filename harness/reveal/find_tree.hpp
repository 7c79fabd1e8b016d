// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/reveal/probe.hpp"
#include "harness/reveal/summation_tree.hpp"

namespace parity::reveal {

struct FoundTree {
  SummationTree tree;
  double scale = 1;   ///< result / sum: 1 for a sum, 1 / terms for a mean
  size_t probes = 0;  ///< how often the operator ran
};

/// Finds in which order an operator adds.
///
/// Method: summands i and j are M and -M, the others 1. M absorbs each 1 that is added before the two cancel,
/// so the result counts the summands outside the smallest partial sum with both. Source: Xie, Gao and Xue,
/// "FPRev: Revealing Floating-Point Summation Order", USENIX ATC 2025. Probes of one round go to the operator
/// together; a sum that is left to right needs one round, a pairwise one as many as it has levels.
/// \throws NotRevealed if the results are not those of one sum of these terms, or if nothing is absorbed
FoundTree find_tree(const SummingOperator& op);

}  // namespace parity::reveal
