// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace parity::reveal {

/// The order in which a sum is computed: a leaf is a summand, a node the sum of its children.
///
/// Nodes 0 to terms - 1 are the leaves. A node with more than two children adds them at once, as matrix units
/// do. Additions commute, so the order of the children means nothing.
struct SummationTree {
  struct Node {
    std::vector<size_t> children = {};  ///< numbers of nodes; empty: a leaf
  };

  explicit SummationTree(size_t terms_) : terms(terms_), nodes(terms_) {}

  size_t terms;
  std::vector<Node> nodes;
  size_t root = 0;  ///< has every leaf below it

  bool is_leaf(size_t node) const { return node < terms; }
  /// Adds a node above others. \return its number
  size_t add(std::vector<size_t> children);
  /// Returns the leaves below a node, ascending.
  std::vector<size_t> leaves(size_t node) const;
  /// Returns the numbers of the inner nodes, children before their parents.
  std::vector<size_t> bottom_up() const;
  /// Returns the largest number of additions between a leaf and the root.
  size_t depth() const;
  /// Returns the node above each node; the root is above itself.
  std::vector<size_t> parents() const;
};

/// Returns a hash of the set of leaves below each inner node. Two trees add in the same order if these are
/// equal.
std::set<uint64_t> partial_sums(const SummationTree& tree);

}  // namespace parity::reveal
