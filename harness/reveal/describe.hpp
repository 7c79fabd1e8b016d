// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/reveal/arithmetic.hpp"
#include "harness/reveal/summation_tree.hpp"

namespace parity::reveal {

/// Returns the order of a tree in words: "left to right", "in 8 lanes of every 8th element, each left to
/// right; then the lanes pairwise". An order without a name is described by its depth and its first sums.
std::string describe_order(const SummationTree& tree);

/// Returns how sums and products are rounded: "in float32, with fused multiply-add".
/// \param multiplies  whether the operator adds products
std::string describe_arithmetic(const SummationTree& tree, const Arithmetic& arithmetic, bool multiplies);

}  // namespace parity::reveal
