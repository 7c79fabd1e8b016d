// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/reveal/summation_tree.hpp"

namespace parity::reveal {

/// Returns a drawing of a tree of at most `most` terms for a terminal, one line a node; "" for a larger one.
std::string draw(const SummationTree& tree, size_t most = 40);

/// Returns an SVG picture of a tree. Leaves stand in their order at the bottom; a sum is above what it adds.
std::string draw_svg(const SummationTree& tree);

}  // namespace parity::reveal
