// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/find_tree.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace parity::reveal {
namespace {

/// Leaves that lie below one node, in one or several of its children.
struct Task {
  std::vector<size_t> leaves;
  size_t parent;      ///< the node
  size_t size_above;  ///< number of leaves below the node
};

[[noreturn]] void refuse(const std::string& why) {
  throw NotRevealed(fmt::format("cannot reveal the sum ({})", why));
}

class TreeSearch {
 public:
  explicit TreeSearch(const SummingOperator& op)
      : op_(op), numbers_(probe_numbers(op)), found_{SummationTree(op.terms)} {}

  FoundTree find() {
    if (op_.terms < 2)
      refuse("one element has no order");
    const size_t above_root = found_.tree.add({});
    std::vector<size_t> all(op_.terms);
    for (size_t k = 0; k < all.size(); ++k)
      all[k] = k;
    std::vector<Task> tasks = {{std::move(all), above_root, op_.terms + 1}};
    while (!tasks.empty())
      tasks = next_round(tasks);
    found_.tree.root = found_.tree.nodes[above_root].children.at(0);
    return std::move(found_);
  }

 private:
  Summands units() const {
    Summands each = zeros(op_);
    std::ranges::fill(each.x, numbers_.unit);
    return each;
  }

  /// \param result  of units alone
  void find_scale(double result) {
    found_.scale = result / (numbers_.unit * static_cast<double>(op_.terms));
    if (!std::isfinite(found_.scale) || found_.scale <= 0)
      refuse(fmt::format("of {} summands {} the result is {}, not a multiple of their sum", op_.terms,
                         numbers_.unit, result));
  }

  std::vector<double> run(const std::vector<Summands>& all) {
    found_.probes += all.size();
    return probe(op_, all);
  }

  Summands masked(size_t i, size_t j) const {
    Summands each = units();
    each.x[i] = numbers_.large;
    each.x[j] = -numbers_.large;
    return each;
  }

  /// Returns the number of leaves below the smallest node with both masked leaves.
  size_t size_of(double result) const {
    const double outside = result / (found_.scale * numbers_.unit), rounded = std::round(outside);
    const double terms = static_cast<double>(op_.terms);
    if (!std::isfinite(outside) || std::abs(outside - rounded) > 0.25 || rounded < 0 || rounded > terms - 2)
      refuse(fmt::format(
          "a probe gave {}, which counts no summands; the operator is no sum of these elements", result));
    return op_.terms - static_cast<size_t>(rounded);
  }

  std::vector<Task> next_round(const std::vector<Task>& tasks) {
    std::vector<Summands> all;
    if (found_.probes == 0)
      all.push_back(units());
    for (const Task& task : tasks)
      for (size_t k = 1; k < task.leaves.size(); ++k)
        all.push_back(masked(task.leaves[0], task.leaves[k]));
    size_t at = 0;
    const bool is_first = found_.probes == 0;
    const std::vector<double> results = all.empty() ? std::vector<double>() : run(all);
    if (is_first)
      find_scale(results[at++]);
    std::vector<Task> next;
    for (const Task& task : tasks) {
      std::map<size_t, std::vector<size_t>>
          by_size;  // leaves by how many lie below their node with leaves[0]
      for (size_t k = 1; k < task.leaves.size(); ++k)
        by_size[size_of(results[at++])].push_back(task.leaves[k]);
      grow(task, by_size, next);
    }
    return next;
  }

  /// Builds the child of the task's node that has leaves[0], from its leaf up. \param next  receives what is
  /// open
  void grow(const Task& task, std::map<size_t, std::vector<size_t>>& by_size, std::vector<Task>& next) {
    SummationTree& tree = found_.tree;
    size_t current = task.leaves[0], size = 1;
    for (auto& [total, leaves] : by_size) {
      if (total == task.size_above) {
        next.push_back({std::move(leaves), task.parent, total});
        continue;
      }
      if (total == 2 && leaves.size() > 1)
        refuse(
            "nothing was absorbed: the operator adds exactly, compensates, or adds in a wider type than its "
            "inputs' "
            "range can show");
      if (total > task.size_above || size + leaves.size() != total)
        refuse(
            "the counts of its probes fit no tree; the operator adds a summand twice, compensates, or does "
            "not "
            "repeat itself");
      const size_t node = tree.add({current});
      if (leaves.size() == 1)
        tree.nodes[node].children.push_back(leaves[0]);
      else
        next.push_back({std::move(leaves), node, total});
      current = node;
      size = total;
    }
    tree.nodes[task.parent].children.push_back(current);
  }

  const SummingOperator& op_;
  ProbeNumbers numbers_;
  FoundTree found_;
};

}  // namespace

FoundTree find_tree(const SummingOperator& op) {
  return TreeSearch(op).find();
}

}  // namespace parity::reveal
