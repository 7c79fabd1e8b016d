// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/pairing.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "harness/base/text/glob.hpp"
#include "harness/checkpoints/match/by_values.hpp"
#include "harness/checkpoints/match/causal_mask.hpp"
#include "harness/checkpoints/side.hpp"

namespace parity::checkpoints {
namespace {

/// A tensor that some programs store in place of several.
struct FusedRole {
  std::string_view whole;
  std::array<std::string_view, 3> parts;  ///< in the order of their rows; "" ends them
};

constexpr auto fused_roles = std::to_array<FusedRole>({
    {"qkv", {"q", "k", "v"}},
    {"gate_up", {"gate", "up", ""}},
    {"fc1", {"gate", "up", ""}},
    {"shared.gate_up", {"shared.gate", "shared.up", ""}},
    {"experts.gate_up", {"experts.gate", "experts.up", ""}},
});

class Pairing {
 public:
  Pairing(Side expected, Side actual, const std::vector<std::string>& globs, const SearchOptions& options)
      : expected_(std::move(expected)), actual_(std::move(actual)), globs_(globs), options_(options) {}

  std::vector<Finding> run() {
    pair_names();
    expand_experts();
    pair_roles();
    for (const FusedRole& fused : fused_roles) {
      pair_parts(expected_, actual_, fused, true);
      pair_parts(actual_, expected_, fused, false);
    }
    take_tied(expected_, true);
    take_tied(actual_, false);
    take_masks(expected_, true);
    take_masks(actual_, false);
    pair_values();
    take_rest(expected_, true);
    take_rest(actual_, false);
    return std::move(findings_);
  }

 private:
  using Rows = Expectation::Rows;
  using Groups = Expectation::Groups;

  bool is_selected(const std::vector<Item>& items) const {
    return globs_.empty() || std::any_of(items.begin(), items.end(), [&](const Item& item) {
             return std::any_of(globs_.begin(), globs_.end(),
                                [&](const std::string& glob) { return glob_match(glob, item.name); });
           });
  }

  void add(std::vector<Item> expected, std::vector<Item> actual, const std::vector<Rule>& rules,
           const Expectation& expectation) {
    if (is_selected(expected) || is_selected(actual))
      findings_.push_back(search(std::move(expected), std::move(actual), rules, expectation, options_));
  }

  void pair_names() {
    for (Item* e : expected_.left()) {
      Item* a = actual_.named(e->match);
      if (a == nullptr)
        continue;
      const bool only_as_is = !a->is_mapped && e->view.shape == a->view.shape;
      add({*e}, {*a}, rules_for_pair(*e, *a),
          {.rows = a->is_mapped ? Rows::any : Rows::same, .only_as_is = only_as_is});
      expected_.take(*e);
      actual_.take(*a);
    }
  }

  /// Splits stacked experts where the other side has names for each.
  void expand_experts() {
    const bool apart = expected_.has_single_experts() || actual_.has_single_experts();
    const bool fused = expected_.has_fused_experts() != actual_.has_fused_experts();
    if (!apart && !fused)
      return;
    expected_.expand_experts();
    actual_.expand_experts();
  }

  static Rows rows_between(RowOrder expected, RowOrder actual) {
    if (expected == RowOrder::none || actual == RowOrder::none || expected == actual)
      return Rows::same;
    return actual == RowOrder::pairs ? Rows::to_pairs : Rows::to_halves;
  }

  /// Returns which permutation of rows the two names call for.
  Rows rows_for(const Item& e, const Item& a) const {
    if (e.view.shape.empty())  // a step counter, which has no rows
      return Rows::same;
    return rows_between(expected_.order_of(e), actual_.order_of(a));
  }

  /// Returns whether q, k and v of the two names are grouped differently.
  static Groups groups_for(const Item& e, const Item& a) {
    const RowGroups from = e.role.groups, to = a.role.groups;
    if (from == RowGroups::unknown || to == RowGroups::unknown)
      return Groups::any;
    return from == to ? Groups::concatenated : Groups::grouped;
  }

  void pair_roles() {
    for (Item* e : expected_.left()) {
      Item* a = actual_.with_role(e->role);
      if (a == nullptr || expected_.with_role(e->role) != e)
        continue;
      add({*e}, {*a}, rules_for_pair(*e, *a), {rows_for(*e, *a), groups_for(*e, *a)});
      expected_.take(*e);
      actual_.take(*a);
    }
  }

  /// Returns how the name of a fused tensor says that it holds q, k and v.
  static Groups groups_of(const Role& whole) {
    return whole.groups == RowGroups::unknown        ? Groups::any
           : whole.groups == RowGroups::concatenated ? Groups::concatenated
                                                     : Groups::grouped;
  }

  /// Finds whole tensors of one side whose parts the other side has.
  void pair_parts(Side& wholes, Side& others, const FusedRole& fused, bool whole_is_expected) {
    for (Item* whole : wholes.left()) {
      if (whole->role.part() != fused.whole)
        continue;
      std::vector<Item*> parts = others.parts(whole->role, fused.parts);
      if (parts.empty())
        continue;
      const std::vector<const Item*> views(parts.begin(), parts.end());
      const std::vector<Rule> rules = rules_for_parts(*whole, views, whole_is_expected);
      const RowOrder of_whole = wholes.order_of(*whole), of_part = others.order_of(*parts.front());
      const Rows rows = whole_is_expected ? rows_between(of_whole, of_part) : rows_between(of_part, of_whole);
      const Expectation expectation{fused.whole == "qkv" ? rows : Rows::any, groups_of(whole->role)};
      std::vector<Item> one = {*whole}, many;
      for (const Item* part : parts)
        many.push_back(*part);
      if (whole_is_expected)
        add(std::move(one), std::move(many), rules, expectation);
      else
        add(std::move(many), std::move(one), rules, expectation);
      wholes.take(*whole);
      for (const Item* part : parts)
        others.take(*part);
    }
  }

  /// An output projection of one side alone is tied if it repeats that side's embedding.
  void take_tied(Side& side, bool is_expected) {
    for (Item* output : side.left()) {
      const Item* embedding = output->role.part() == "output" && output->role.leaf() == "weight"
                                  ? side.embedding(output->role)
                                  : nullptr;
      if (embedding == nullptr || !is_selected({*output}))
        continue;
      Finding finding;
      (is_expected ? finding.expected : finding.actual) = {*output};
      finding.kind = RuleKind::tied;
      const bool equal = embedding->view.shape == output->view.shape &&
                         embedding->view.dtype == output->view.dtype &&
                         have_equal_bits({embedding->view, output->view}, output->view.dtype);
      finding.verdict = equal ? Verdict::equal : Verdict::one_sided;
      finding.rule = equal ? "tied to " + embedding->name : "";
      finding.note = equal ? "" : "it is not " + embedding->name + ", so the matrices are not tied";
      findings_.push_back(std::move(finding));
      side.take(*output);
    }
  }

  /// Takes a causal mask that one side alone stores: it is a buffer, and no weight depends on it.
  void take_masks(Side& side, bool is_expected) {
    for (Item* item : side.left()) {
      if (!is_selected({*item}) || !is_causal_mask(*item))
        continue;
      Finding finding;
      (is_expected ? finding.expected : finding.actual) = {*item};
      finding.kind = RuleKind::causal_mask;
      finding.verdict = Verdict::equal;
      finding.rule = "a causal mask, which the other side does not store";
      findings_.push_back(std::move(finding));
      side.take(*item);
    }
  }

  void pair_values() {
    for (const ValuePair& pair : pairs_by_values(expected_.left(), actual_.left())) {
      Finding finding = search({*pair.expected}, {*pair.actual}, {pair.rule}, {.square_too = true}, options_);
      finding.note = finding.note.empty() ? "found by its values" : finding.note;
      finding.by_values = true;
      if (is_selected(finding.expected) || is_selected(finding.actual))
        findings_.push_back(std::move(finding));
      expected_.take(*pair.expected);
      actual_.take(*pair.actual);
    }
  }

  void take_rest(Side& side, bool is_expected) {
    for (const Item* item : side.left()) {
      Finding finding;
      (is_expected ? finding.expected : finding.actual) = {*item};
      finding.kind = RuleKind::one_sided;
      finding.verdict = Verdict::one_sided;
      if (is_selected({*item}))
        findings_.push_back(std::move(finding));
    }
  }

  Side expected_, actual_;
  const std::vector<std::string>& globs_;
  const SearchOptions& options_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> pair_tensors(const Checkpoint& expected, const Checkpoint& actual,
                                  const NameRules& renamed, const std::vector<std::string>& globs,
                                  const SearchOptions& options) {
  return Pairing(Side(expected), Side(actual, renamed), globs, options).run();
}

}  // namespace parity::checkpoints
