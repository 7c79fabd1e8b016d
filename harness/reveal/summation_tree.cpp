// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/summation_tree.hpp"

#include <algorithm>
#include <utility>

#include "harness/base/hash.hpp"

namespace parity::reveal {
size_t SummationTree::add(std::vector<size_t> children) {
  nodes.push_back({std::move(children)});
  return nodes.size() - 1;
}

std::vector<size_t> SummationTree::leaves(size_t node) const {
  std::vector<size_t> found, open = {node};
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    if (is_leaf(at))
      found.push_back(at);
    open.insert(open.end(), nodes[at].children.begin(), nodes[at].children.end());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<size_t> SummationTree::bottom_up() const {
  std::vector<size_t> order, open = {root};
  while (!open.empty()) {  // parents first
    const size_t at = open.back();
    open.pop_back();
    if (is_leaf(at))
      continue;
    order.push_back(at);
    open.insert(open.end(), nodes[at].children.begin(), nodes[at].children.end());
  }
  std::ranges::reverse(order);
  return order;
}

size_t SummationTree::depth() const {
  std::vector<size_t> depths(nodes.size());
  for (const size_t at : bottom_up())
    for (const size_t child : nodes[at].children)
      depths[at] = std::max(depths[at], depths[child] + 1);
  return depths[root];
}

std::vector<size_t> SummationTree::parents() const {
  std::vector<size_t> above(nodes.size(), root);
  for (const size_t at : bottom_up())
    for (const size_t child : nodes[at].children)
      above[child] = at;
  return above;
}

std::set<uint64_t> partial_sums(const SummationTree& tree) {
  std::vector<uint64_t> hashes(tree.nodes.size());
  for (size_t leaf = 0; leaf < tree.terms; ++leaf)
    hashes[leaf] = splitmix64(leaf);
  std::set<uint64_t> sums;
  for (const size_t at : tree.bottom_up()) {
    for (const size_t child : tree.nodes[at].children)
      hashes[at] += hashes[child];
    sums.insert(hashes[at]);
  }
  return sums;
}

}  // namespace parity::reveal
