// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace parity::reveal {
namespace {

/// A type is at least this if a sum of 1 and 2^-bit keeps both.
struct Width {
  DType type;
  int bit;  ///< one beyond the type below it
};
constexpr std::array widths = {Width{DType::float16, 9}, Width{DType::float32, 12},
                               Width{DType::float64, 25}};

/// Returns what a float16 or another type can hold: a power of two that takes the place of 1, so that 2^-25
/// of it exists.
double one_of(const SummingOperator& op) {
  return op.input == DType::float16 ? 0x1p10 : 1.0;
}

/// Returns a leaf that is not below a node.
size_t leaf_outside(const SummationTree& tree, size_t node, const std::vector<size_t>& parents) {
  const size_t parent = parents[node];
  for (const size_t child : tree.nodes[parent].children)
    if (child != node)
      return tree.leaves(child).front();
  return tree.terms;
}

std::vector<DType> find_partial_sums(const SummingOperator& op, const SummationTree& tree) {
  const std::vector<size_t> parents = tree.parents(), nodes = tree.bottom_up();
  std::vector<Summands> all;
  for (const size_t node : nodes) {
    if (node == tree.root)
      continue;
    const std::vector<size_t>& children = tree.nodes[node].children;
    for (const Width& width : widths) {
      Summands each = zeros(op);
      each.x[tree.leaves(children[0]).front()] = one_of(op);
      each.x[tree.leaves(children[1]).front()] = std::ldexp(one_of(op), -width.bit);
      each.x[leaf_outside(tree, node, parents)] = -one_of(op);
      all.push_back(std::move(each));
    }
  }
  const std::vector<double> results = all.empty() ? std::vector<double>() : probe(op, all);
  std::vector<DType> types(tree.nodes.size(), op.output);
  const auto rank = [](DType type) {
    return type == DType::bfloat16 ? 0 : type == DType::float16 ? 1 : type == DType::float32 ? 2 : 3;
  };
  size_t at = 0;
  for (const size_t node : nodes) {
    if (node == tree.root)
      continue;
    types[node] = DType::bfloat16;
    for (const Width& width : widths)
      if (results[at++] != 0)
        types[node] = width.type;
    if (rank(types[node]) > rank(types[tree.root]))
      types[tree.root] = types[node];
  }
  return types;
}

/// Returns the bit h for which the square of 1 + 2^-h is half an ULP off a number of the type; 0 if products
/// of the inputs' type are exact where they are added.
int half_bit(DType input, DType sum) {
  if (input == DType::float64)
    return 27;
  return input == DType::float32 && sum == DType::float32 ? 12 : 0;
}

std::vector<bool> find_fused(const SummingOperator& op, const SummationTree& tree,
                             const std::vector<DType>& partial_sums) {
  std::vector<bool> fused(tree.terms, false);
  if (!op.multiplies)
    return fused;
  const std::vector<size_t> parents = tree.parents();
  std::vector<Summands> all;
  std::vector<size_t> asked;
  for (size_t leaf = 0; leaf < tree.terms; ++leaf) {
    const int bit = half_bit(op.input, partial_sums[parents[leaf]]);
    if (bit == 0)
      continue;
    Summands each = zeros(op);
    each.x[leaf] = each.w[leaf] = 1 + std::ldexp(1.0, -bit);
    each.x[leaf_outside(tree, leaf, parents)] = -(1 + std::ldexp(1.0, 1 - bit));
    all.push_back(std::move(each));
    asked.push_back(leaf);
  }
  const std::vector<double> results = all.empty() ? std::vector<double>() : probe(op, all);
  for (size_t k = 0; k < asked.size(); ++k)
    fused[asked[k]] = results[k] != 0;
  return fused;
}

}  // namespace

Arithmetic find_arithmetic(const SummingOperator& op, const SummationTree& tree) {
  Arithmetic found;
  found.partial_sums = find_partial_sums(op, tree);
  found.fused = find_fused(op, tree, found.partial_sums);
  return found;
}

}  // namespace parity::reveal
