// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules for a tensor that holds several tensors of the other side.
#include <numeric>

#include <fmt/format.h>

#include "harness/checkpoints/match/head_rows.hpp"
#include "harness/checkpoints/match/rule.hpp"

namespace parity::checkpoints {
namespace {

/// One tensor and its parts, whose rows it holds in some order.
class Fusion {
 public:
  Fusion(const StridedView& whole, const std::vector<const Item*>& parts, bool whole_is_expected,
         bool transposes)
      : whole_(whole), parts_(parts), whole_is_expected_(whole_is_expected), transposes_(transposes) {}

  /// Adds the rules of every number of groups and every order of rows.
  void add_to(std::vector<Rule>& rules) const {
    int64_t common = 0;
    for (const Item* part : parts_)
      common = std::gcd(common, part->view.shape.at(0));
    rules.push_back(rule(1, nullptr));
    add_permuted(rules, 1, common);
    for (const int64_t groups : divisors_of(common, 2)) {
      rules.push_back(rule(groups, nullptr));
      add_permuted(rules, groups, common / groups);
    }
  }

 private:
  void add_permuted(std::vector<Rule>& rules, int64_t groups, int64_t rows) const {
    if (parts_.front()->role.part() != "q")
      return;
    for (const HeadRows& permutation : head_rows_of(rows))
      if (groups == 1 || permutation.head == rows)  // a group has one key head
        rules.push_back(rule(groups, &permutation));
  }

  Rule rule(int64_t groups, const HeadRows* permutation) const {
    Rule result;
    result.kind = groups == 1 ? RuleKind::concatenated : RuleKind::grouped;
    result.permutes = permutation != nullptr;
    result.head = permutation != nullptr ? permutation->head : 0;
    result.to_pairs = permutation != nullptr && permutation->to_pairs;
    result.transposes = transposes_;
    result.text = groups == 1 ? "rows concatenated" : fmt::format("rows interleaved in {} groups", groups);
    if (transposes_)
      result.text += ", transposed";
    if (permutation != nullptr)
      result.text += "; " + permutation->text();
    const StridedView grouped = split(whole_, 0, {groups, whole_.shape.at(0) / groups});
    int64_t at = 0;
    for (const Item* part : parts_) {
      const int64_t rows = part->view.shape.at(0) / groups;
      const bool is_permuted =
          permutation != nullptr && (part->role.part() == "q" || part->role.part() == "k");
      result.pairs.push_back(pair(slice(grouped, 1, at, rows), split(part->view, 0, {groups, rows}),
                                  is_permuted ? permutation : nullptr));
      at += rows;
    }
    return result;
  }

  ViewPair pair(const StridedView& in_whole, const StridedView& part, const HeadRows* permutation) const {
    ViewPair result = whole_is_expected_ ? ViewPair{in_whole, part} : ViewPair{part, in_whole};
    if (permutation != nullptr)
      result = {permutation->of_expected(result.expected, 1), permutation->of_actual(result.actual, 1)};
    return result;
  }

  StridedView whole_;
  const std::vector<const Item*>& parts_;
  bool whole_is_expected_, transposes_;
};

/// Returns whether parts have the same trailing sizes as a view, and together its rows.
bool fits(const StridedView& whole, const std::vector<const Item*>& parts) {
  if (whole.size() == 0)
    return false;
  int64_t rows = 0;
  for (const Item* part : parts) {
    const Shape& shape = part->view.shape;
    if (shape.empty() || shape.size() != whole.shape.size() ||
        !std::equal(shape.begin() + 1, shape.end(), whole.shape.begin() + 1))
      return false;
    rows += shape[0];
  }
  return !whole.shape.empty() && rows == whole.shape[0];
}

}  // namespace

std::vector<Rule> rules_for_parts(const Item& fused, const std::vector<const Item*>& parts,
                                  bool fused_is_expected) {
  std::vector<Rule> rules;
  if (fits(fused.view, parts))
    Fusion(fused.view, parts, fused_is_expected, false).add_to(rules);
  if (fused.view.shape.size() == 2 && fits(transpose(fused.view), parts))
    Fusion(transpose(fused.view), parts, fused_is_expected, true).add_to(rules);
  return rules;
}

}  // namespace parity::checkpoints
