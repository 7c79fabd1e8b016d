// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules for one tensor on each side.
#include <algorithm>

#include <fmt/format.h>

#include "harness/checkpoints/match/head_rows.hpp"
#include "harness/checkpoints/match/rule.hpp"

namespace parity::checkpoints {
namespace {

Shape transposed_shape(Shape shape) {
  std::swap(shape.at(shape.size() - 1), shape.at(shape.size() - 2));
  return shape;
}

bool has_heads(const Role& role) {
  const std::string_view part = role.part();
  return !role.known || part == "q" || part == "k" || part == "q_norm" || part == "k_norm";
}

void add_permuted(std::vector<Rule>& rules, const StridedView& e, const StridedView& a) {
  for (const HeadRows& rows : head_rows_of(e.shape.at(0))) {
    Rule rule{RuleKind::rows_permuted, rows.text(), {{rows.of_expected(e, 0), rows.of_actual(a, 0)}}, true};
    rule.to_pairs = rows.to_pairs;
    rule.head = rows.head;
    rules.push_back(std::move(rule));
  }
}

/// Adds the rules between q, k, v one after the other, and one group of q, k, v for each head.
void add_regrouped(std::vector<Rule>& rules, const StridedView& e, const StridedView& a, bool transposes) {
  if (e.shape != a.shape || e.shape.at(0) % 3 != 0)
    return;
  const int64_t rows = e.shape[0] / 3;
  const std::string also = transposes ? ", transposed" : "";
  for (const int64_t heads : divisors_of(rows, 2)) {
    const Shape in_one = {3, heads, rows / heads}, by_head = {heads, 3, rows / heads};
    std::vector<size_t> order = {1, 0, 2, 3};
    order.resize(e.shape.size() + 2);
    rules.push_back({RuleKind::grouped,
                     fmt::format("regrouped by {} heads{}", heads, also),
                     {{permute(split(e, 0, in_one), order), split(a, 0, by_head)}},
                     false,
                     transposes});
    rules.push_back({RuleKind::grouped,
                     fmt::format("regrouped from {} heads{}", heads, also),
                     {{split(e, 0, by_head), permute(split(a, 0, in_one), order)}},
                     false,
                     transposes});
  }
}

void add_padded(std::vector<Rule>& rules, const StridedView& e, const StridedView& a) {
  const int64_t common = std::min(e.shape.at(0), a.shape.at(0));
  const StridedView& longer = e.shape[0] > common ? e : a;
  const int64_t more = longer.shape[0] - common;
  rules.push_back(
      {RuleKind::padded,
       fmt::format("{} with {} more rows", &longer == &e ? "the expected side" : "the actual side", more),
       {{slice(e, 0, 0, common), slice(a, 0, 0, common)}},
       false,
       false,
       slice(longer, 0, common, more)});
}

/// Returns whether dimensions of one shape, merged with their neighbours, give the other shape.
bool merges_into(const Shape& finer, const Shape& coarser) {
  size_t at = 0;
  for (const int64_t size : coarser) {
    int64_t product = 1;
    while (at < finer.size() && (product < size || finer[at] == 1))
      product *= finer[at++];
    if (product != size)
      return false;
  }
  return at == finer.size();
}

Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

Rule reshaped(const StridedView& e, const StridedView& a) {
  Rule rule{RuleKind::reshaped,
            fmt::format("reshaped from {} to {}", to_string(e.shape), to_string(a.shape)),
            {{flatten(e), flatten(a)}}};
  const Shape from = without_ones(e.shape), to = without_ones(a.shape);
  rule.fits_shapes = merges_into(from, to) || merges_into(to, from);
  return rule;
}

}  // namespace

std::vector<Rule> rules_for_pair(const Item& expected, const Item& actual) {
  const StridedView &e = expected.view, &a = actual.view;
  const bool is_matrix = e.shape.size() >= 2 && e.shape.size() == a.shape.size();
  const bool is_qkv = expected.role.part() == "qkv" && actual.role.part() == "qkv";
  std::vector<Rule> rules;
  if (e.shape == a.shape)
    rules.push_back({RuleKind::as_is, "", {{e, a}}});
  if (e.size() == 0 || a.size() == 0)
    return rules;
  if (e.shape == a.shape && !e.shape.empty() && (has_heads(expected.role) || has_heads(actual.role)))
    add_permuted(rules, e, a);
  if (is_matrix && transposed_shape(e.shape) == a.shape)
    rules.push_back({RuleKind::transposed, "transposed", {{transpose(e), a}}, false, true});
  if (is_qkv && e.shape.size() <= 2 && !e.shape.empty())
    add_regrouped(rules, e, a, false);
  if (is_qkv && is_matrix && e.shape.size() == 2)
    add_regrouped(rules, transpose(e), a, true);
  if (e.shape != a.shape && e.size() == a.size() && e.is_contiguous() && a.is_contiguous())
    rules.push_back(reshaped(e, a));
  const bool rows_differ = !e.shape.empty() && e.shape.size() == a.shape.size() && e.shape[0] != a.shape[0];
  if (rows_differ && std::equal(e.shape.begin() + 1, e.shape.end(), a.shape.begin() + 1))
    add_padded(rules, e, a);
  return rules;
}

}  // namespace parity::checkpoints
