// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/describe.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/enum_names.hpp"

namespace parity::reveal {
namespace {

/// Adds up nodes of a tree in some order. \return the node of their sum
using Order = std::function<size_t(SummationTree&, std::span<const size_t>)>;

struct NamedOrder {
  std::string name;
  Order order;
};

size_t left_to_right(SummationTree& tree, std::span<const size_t> nodes) {
  size_t sum = nodes[0];
  for (const size_t each : nodes.subspan(1))
    sum = tree.add({sum, each});
  return sum;
}

size_t right_to_left(SummationTree& tree, std::span<const size_t> nodes) {
  size_t sum = nodes.back();
  for (size_t k = nodes.size() - 1; k-- > 0;)
    sum = tree.add({nodes[k], sum});
  return sum;
}

/// Neighbours first, level by level; of an odd number the last one waits.
size_t pairwise(SummationTree& tree, std::span<const size_t> nodes) {
  std::vector<size_t> level(nodes.begin(), nodes.end());
  while (level.size() > 1) {
    std::vector<size_t> above;
    for (size_t k = 0; k + 1 < level.size(); k += 2)
      above.push_back(tree.add({level[k], level[k + 1]}));
    if (level.size() % 2 == 1)
      above.push_back(level.back());
    level = std::move(above);
  }
  return level[0];
}

/// The upper half onto the lower one, again and again.
size_t folded(SummationTree& tree, std::span<const size_t> nodes) {
  std::vector<size_t> level(nodes.begin(), nodes.end());
  while (level.size() > 1) {
    const size_t half = (level.size() + 1) / 2;
    for (size_t k = half; k < level.size(); ++k)
      level[k - half] = tree.add({level[k - half], level[k]});
    level.resize(half);
  }
  return level[0];
}

size_t at_once(SummationTree& tree, std::span<const size_t> nodes) {
  return nodes.size() == 1 ? nodes[0] : tree.add({nodes.begin(), nodes.end()});
}

const std::vector<NamedOrder>& simple_orders() {
  static const std::vector<NamedOrder> orders = {{"left to right", left_to_right},
                                                 {"right to left", right_to_left},
                                                 {"pairwise", pairwise},
                                                 {"by halves folded onto each other", folded},
                                                 {"all at once", at_once}};
  return orders;
}

/// Every `lanes`-th node belongs to one lane.
Order by_lanes(size_t lanes, const Order& inner, const Order& outer) {
  return [=](SummationTree& tree, std::span<const size_t> nodes) {
    std::vector<size_t> sums;
    for (size_t lane = 0; lane < std::min(lanes, nodes.size()); ++lane) {
      std::vector<size_t> own;
      for (size_t k = lane; k < nodes.size(); k += lanes)
        own.push_back(nodes[k]);
      sums.push_back(inner(tree, own));
    }
    return outer(tree, sums);
  };
}

/// Each run of `length` neighbours is a block.
Order by_blocks(size_t length, const Order& inner, const Order& outer) {
  return [=](SummationTree& tree, std::span<const size_t> nodes) {
    std::vector<size_t> sums;
    for (size_t first = 0; first < nodes.size(); first += length)
      sums.push_back(inner(tree, nodes.subspan(first, std::min(length, nodes.size() - first))));
    return outer(tree, sums);
  };
}

bool is_order(const Order& order, size_t terms, const std::set<uint64_t>& wanted) {
  SummationTree tree(terms);
  std::vector<size_t> leaves(terms);
  for (size_t k = 0; k < terms; ++k)
    leaves[k] = k;
  tree.root = order(tree, leaves);
  return partial_sums(tree) == wanted;
}

constexpr std::array lane_counts = {size_t{2},  size_t{4},  size_t{8},  size_t{16},
                                    size_t{32}, size_t{64}, size_t{128}};

/// Returns orders of a few sums: simple ones, and lanes of lanes.
std::vector<NamedOrder> orders_of_lanes(size_t lanes) {
  std::vector<NamedOrder> found;
  for (const NamedOrder& each : simple_orders())
    found.push_back({"then the lanes " + each.name, each.order});
  for (const size_t width : lane_counts)
    for (const NamedOrder& inner : simple_orders())
      for (const NamedOrder& outer : simple_orders())
        if (width < lanes && lanes % width == 0)
          found.push_back({fmt::format("then lanes {} apart {}, and the {} sums {}", width, inner.name, width,
                                       outer.name),
                           by_lanes(width, inner.order, outer.order)});
  return found;
}

std::optional<std::string> name_of_order(size_t terms, const std::set<uint64_t>& wanted) {
  for (const NamedOrder& each : simple_orders())
    if (is_order(each.order, terms, wanted))
      return each.name;
  for (const size_t width : lane_counts)
    for (const NamedOrder& inner : simple_orders()) {
      if (width >= terms)
        continue;
      for (const NamedOrder& outer : orders_of_lanes(width))
        if (is_order(by_lanes(width, inner.order, outer.order), terms, wanted))
          return fmt::format("in {} lanes of every {}th element, each {}; {}", width, width, inner.name,
                             outer.name);
      for (const NamedOrder& outer : simple_orders())
        if (is_order(by_blocks(width, inner.order, outer.order), terms, wanted))
          return fmt::format("in blocks of {}, each {}; then the blocks {}", width, inner.name, outer.name);
    }
  return std::nullopt;
}

std::string text_of(const SummationTree& tree, size_t node) {
  const std::vector<size_t> leaves = tree.leaves(node);
  return leaves.size() <= 4
             ? fmt::format("{}", fmt::join(leaves, " + "))
             : fmt::format("{} terms from {} to {}", leaves.size(), leaves.front(), leaves.back());
}

}  // namespace

std::string describe_order(const SummationTree& tree) {
  if (const auto name = name_of_order(tree.terms, partial_sums(tree)))
    return *name;
  std::string parts;
  for (const size_t child : tree.nodes[tree.root].children)
    parts += (parts.empty() ? "" : ", ") + text_of(tree, child);
  return fmt::format("in an order without a common name: {} additions deep; the last one adds {}",
                     tree.depth(), parts);
}

std::string describe_arithmetic(const SummationTree& tree, const Arithmetic& arithmetic, bool multiplies) {
  std::map<DType, size_t> count;
  for (const size_t node : tree.bottom_up())
    ++count[arithmetic.partial_sums[node]];
  std::string text;
  for (const auto& [type, nodes] : count)
    text += (text.empty() ? "in " : " and ") + std::string(name_of(type)) +
            (count.size() == 1 ? "" : fmt::format(" ({} of {} sums)", nodes, tree.bottom_up().size()));
  if (!multiplies)
    return text;
  const auto fused = std::ranges::count(arithmetic.fused, true);
  if (fused == 0)
    return text + ", with rounded products";
  // The first product of each chain has nothing to be fused with.
  return text + fmt::format(", with fused multiply-add ({} of {} products)", fused, tree.terms);
}

}  // namespace parity::reveal
