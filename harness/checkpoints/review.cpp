// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/review.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/checkpoints/match/renaming.hpp"

namespace parity::checkpoints {
namespace {

/// Returns whether a finding is about one matrix of a linear layer on each side.
bool is_linear(const Finding& finding) {
  return finding.expected.size() == 1 && finding.actual.size() == 1 && finding.role().is_matrix &&
         finding.expected.front().view.shape.size() == 2;
}

bool is_square(const Finding& finding) {
  const Shape& shape = finding.expected.front().view.shape;
  return shape[0] == shape[1];
}

/// Returns a matrix that has to be transposed, by its shape or in a fused one; null if there is none, or if
/// others must not be.
const Finding* transposed_by_shape(const std::vector<Finding>& findings) {
  const Finding* transposed = nullptr;
  for (const Finding& finding : findings) {
    const bool fused = finding.expected.size() + finding.actual.size() > 2;
    if (!finding.agrees() || !finding.role().is_matrix || finding.role().leaf() != "weight" ||
        (!fused && (!is_linear(finding) || is_square(finding))))
      continue;
    if (!finding.transposes)
      return nullptr;
    transposed = &finding;
  }
  return transposed;
}

void review_squares(std::vector<Finding>& findings, const SearchOptions& options) {
  const Finding* model = transposed_by_shape(findings);
  if (model == nullptr)
    return;
  const std::string name = model->title();
  for (Finding& finding : findings) {
    if (!is_linear(finding) || !is_square(finding))
      continue;
    if (finding.unexpected && finding.unexpected->transposes) {
      accept_unexpected(finding, options);
    } else if (finding.agrees() && !finding.transposes && !finding.by_name_only) {
      finding.verdict = Verdict::different;
      finding.note = "it is not transposed, while " + name + " is";
    }
  }
}

/// Returns the text of a rule that all tensors of a role should have. Numbers of padded rows belong to it.
std::string text_of(const Finding& finding) {
  return finding.rule.empty() ? "as it is" : finding.rule;
}

void review_roles(std::vector<Finding>& findings) {
  std::map<std::string, std::map<std::string, std::vector<Finding*>>> rules;  // role -> rule -> findings
  for (Finding& finding : findings)
    if (finding.agrees() && !finding.by_name_only && finding.kind != RuleKind::tied &&
        finding.kind != RuleKind::causal_mask && !finding.role().indices.empty())
      rules[finding.role().state + "|" + finding.role().name][text_of(finding)].push_back(&finding);
  for (auto& [role, by_rule] : rules) {
    if (by_rule.size() < 2)
      continue;
    const auto usual = std::max_element(by_rule.begin(), by_rule.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    for (auto& [rule, members] : by_rule) {
      if (rule == usual->first)
        continue;
      for (Finding* finding : members) {
        finding->verdict = Verdict::different;
        finding->note = fmt::format("equal {}, but {} of the same kind in other blocks {} equal {}",
                                    rule == "as it is" ? rule : "after: " + rule, usual->second.size(),
                                    usual->second.size() == 1 ? "is" : "are",
                                    usual->first == "as it is" ? usual->first : "after: " + usual->first);
      }
    }
  }
}

/// Returns the size of heads that most permutations have; 0 if there are none.
int64_t usual_head_size(const std::vector<Finding>& findings) {
  std::map<int64_t, size_t> counts;
  for (const Finding& finding : findings)
    if (finding.agrees() && finding.permutes && !finding.by_name_only)
      ++counts[finding.head];
  const auto usual = std::max_element(counts.begin(), counts.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  return usual == counts.end() ? 0 : usual->first;
}

void review_heads(std::vector<Finding>& findings, int64_t head_size) {
  const int64_t wanted = head_size > 0 ? head_size : usual_head_size(findings);
  const std::string where = head_size > 0 ? "config.json says" : "others have";
  for (Finding& finding : findings) {
    if (!finding.agrees() || !finding.permutes || finding.by_name_only || finding.head == wanted)
      continue;
    finding.verdict = Verdict::different;
    finding.note = fmt::format("equal after: {}, but {} heads of {}", finding.rule, where, wanted);
  }
}

}  // namespace

void review_rules(std::vector<Finding>& findings, const SearchOptions& options, int64_t head_size) {
  review_squares(findings, options);
  review_roles(findings);
  review_heads(findings, head_size);
  review_renaming(findings);
}

}  // namespace parity::checkpoints
