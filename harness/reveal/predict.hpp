// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/reveal/arithmetic.hpp"
#include "harness/reveal/probe.hpp"
#include "harness/reveal/summation_tree.hpp"

namespace parity::reveal {

/// Returns the sum that a tree computes, rounded to the type of its root.
///
/// A node of several children cuts them below the 27th bit of the largest one (56th in float64), adds these
/// exactly and rounds once. Units that cut elsewhere are predicted less often.
double sum_by(const SummationTree& tree, const Arithmetic& arithmetic, const Summands& summands,
              bool multiplies);

/// How often a tree and an arithmetic predict the bits of an operator.
struct Prediction {
  size_t tried = 0, right = 0;
  bool divides = false;  ///< the operator divides the sum, in place of multiplying it by a reciprocal
};

/// Compares the operator with its tree on random summands: normally distributed, with magnitudes over 2^20.
/// \param scale  result / sum, as `find_tree` found it
/// \param seed   of the summands
Prediction predict(const SummingOperator& op, const SummationTree& tree, const Arithmetic& arithmetic,
                   double scale, size_t tries = 200, uint64_t seed = 1);

}  // namespace parity::reveal
