// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/bounds/bound.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

std::vector<int64_t> steps_of(const BoundedGap& gap) {
  std::vector<int64_t> steps;
  for (const BoundedStep& step : gap.steps)
    if (steps.empty() || steps.back() != step.step)
      steps.push_back(step.step);
  return steps;
}

bool holds_bound(const BoundedGap& gap, const BoundRule& rule) {
  return gap.broken.empty() && std::all_of(gap.steps.begin(), gap.steps.end(), [&](const BoundedStep& step) {
           return step.gap <= rule.limit(step);
         });
}

/// The place with the largest use of its limit, over all quantities. A broken quantity comes first.
struct Lead {
  const BoundedGap* gap = nullptr;
  const BoundedStep* step = nullptr;
};

Lead leading(const std::vector<BoundedGap>& gaps, const BoundRule& rule) {
  Lead lead;
  for (const BoundedGap& gap : gaps) {
    if (!gap.broken.empty())
      return {&gap, gap.steps.empty() ? nullptr : &gap.steps.front()};
    for (const BoundedStep& step : gap.steps)
      if (!lead.step || rule.use(step) > rule.use(*lead.step))
        lead = {&gap, &step};
  }
  return lead;
}

std::string limit_text(const BoundRule& rule, const BoundedStep& step) {
  if (rule.limit(step) == 0)
    return "at a floor of 0 the bits must agree, because no rounding was measured there";
  if (rule.tolerance)
    return "allowed " + size_text(*rule.tolerance);
  return fmt::format("allowed {:.0f}; floor {}", rule.alpha, size_text(step.floor));
}

/// Returns "a relative gap of 3e-07, 1.2 floors, 0.15 of its bound".
std::string describe_size(const BoundedStep& step, const BoundRule& rule) {
  std::string text = "a relative gap of " + size_text(step.relative());
  if (step.floor != 0)
    text += ", " + size_text(step.floors()) + " floors";
  if (rule.limit(step) == 0)
    return text;
  const double use = rule.use(step);
  return text + ", " + size_text(use) + (use > 1 ? " times its bound" : " of its bound");
}

std::string bound_fault_text(const std::vector<BoundedGap>& gaps, const BoundRule& rule,
                             const BoundWords& words, const Lead& lead) {
  if (!lead.gap->broken.empty())
    return lead.gap->broken;
  const auto beyond = [&](const BoundedStep& step) { return !(step.gap <= rule.limit(step)); };
  const auto first = std::find_if(lead.gap->steps.begin(), lead.gap->steps.end(), beyond);
  std::string text =
      fmt::format("{} of {} and {} exceeds its bound at step {}: {} ({}); {}", lead.gap->quantity,
                  words.actual_name, words.expected_name, lead.step->step, describe_size(*lead.step, rule),
                  limit_text(rule, *lead.step), lead.step->text);
  if (lead.gap->steps.size() > 1)
    text += fmt::format("; beyond it at {} of {} steps, first at {}",
                        std::count_if(lead.gap->steps.begin(), lead.gap->steps.end(), beyond),
                        lead.gap->steps.size(), first->step);
  const auto bad =
      std::count_if(gaps.begin(), gaps.end(), [&](const BoundedGap& gap) { return !holds_bound(gap, rule); });
  return gaps.size() > 1 ? text + fmt::format("; {} of {} quantities", bad, gaps.size()) : text;
}

/// Returns "8 measured floors".
std::string describe_bound(const BoundRule& rule) {
  return rule.tolerance ? "a tolerance of " + size_text(*rule.tolerance)
                        : fmt::format("{:.0f} measured floors", rule.alpha);
}

std::string held_text(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words,
                      const Lead& lead) {
  return fmt::format("{} are within {} {}: largest gap in {} at step {}, {}{}", words.subject,
                     describe_bound(rule), over_text(steps_of(gaps.front())), lead.gap->quantity,
                     lead.step->step, describe_size(*lead.step, rule),
                     lead.gap->estimated ? " (estimated from sketches)" : "");
}

void add_rows(CheckResult& result, const std::vector<BoundedGap>& gaps) {
  for (const BoundedGap& gap : gaps) {
    const size_t space = gap.quantity.find(' ');
    if (space == std::string::npos)
      continue;  // a channel
    for (const BoundedStep& step : gap.steps)
      result.tensors.push_back({step.step,
                                gap.quantity.substr(0, space),
                                gap.quantity.substr(space + 1),
                                step.text.empty(),
                                {{"relative_l2", json_number(step.relative())},
                                 {"floors", json_number(step.floors())},
                                 {"estimated", gap.estimated}}});
  }
}

/// Returns gap, floor and bound of each channel at each step, for a plot.
void add_bounds(CheckResult& result, const std::vector<BoundedGap>& gaps, const BoundRule& rule) {
  for (const BoundedGap& gap : gaps) {
    if (gap.quantity.find(' ') != std::string::npos)
      continue;  // a tensor
    results::MeasuredBound bound{.channel = gap.quantity, .words = describe_bound(rule)};
    for (const BoundedStep& step : gap.steps) {
      bound.steps.push_back(step.step);
      bound.gap.push_back(step.gap);
      bound.floor.push_back(step.floor);
      bound.limit.push_back(rule.limit(step));
    }
    result.bounds.push_back(std::move(bound));
  }
}

void add_measures(CheckResult& result, const BoundRule& rule, const Lead& lead) {
  if (!lead.step)
    return;
  result.measured = {{"relative_gap", json_number(lead.step->relative())},
                     {"floors", json_number(lead.step->floors())},
                     {"relative_floor", json_number(lead.step->relative_floor())},
                     {"of_bound", json_number(rule.use(*lead.step))}};
  const char* const metric = rule.tolerance ? "relative_gap" : "floors";
  const double limit = rule.tolerance ? *rule.tolerance : rule.alpha;
  result.limit = {{metric, limit}};
  const size_t space = lead.gap->quantity.find(' ');
  result.worst = WorstPlace{
      .step = lead.step->step,
      .quantity = space == std::string::npos ? lead.gap->quantity : lead.gap->quantity.substr(space + 1),
      .index = lead.step->index,
      .expected = lead.step->expected,
      .actual = lead.step->actual,
      .metric = metric,
      .value = rule.tolerance ? lead.step->relative() : lead.step->floors(),
      .limit = limit};
}

}  // namespace

std::string bounded_subject(const Check& check, const std::vector<BoundedGap>& gaps,
                            const std::string& expected, const std::string& actual) {
  std::vector<std::string> names;
  names.reserve(gaps.size());
  for (const BoundedGap& gap : gaps)
    names.push_back(gap.quantity);
  return fmt::format("{} of {} and {}", check.of_tensors() ? check.quantity() : list_text(names), actual,
                     expected);
}

CheckResult judge_bound(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words) {
  CheckResult result;
  if (gaps.empty())
    throw MissingEvidence("the check matches no quantity");
  const Lead lead = leading(gaps, rule);
  add_measures(result, rule, lead);
  add_rows(result, gaps);
  add_bounds(result, gaps, rule);
  for (const BoundedGap& gap : gaps)
    result.coverage.add_pair(gap.quantity, steps_of(gap));
  if (const std::string refusal = rule.refusal(gaps); !refusal.empty()) {
    result.verdict = Verdict::vacuous;
    result.sentence = refusal;
    return result;
  }
  result.passed =
      std::all_of(gaps.begin(), gaps.end(), [&](const BoundedGap& gap) { return holds_bound(gap, rule); });
  const bool identical =
      std::all_of(gaps.begin(), gaps.end(), [](const BoundedGap& gap) { return gap.identical; });
  result.verdict = !result.passed ? Verdict::different : identical ? Verdict::identical : Verdict::rounding;
  if (!result.passed)
    result.sentence = bound_fault_text(gaps, rule, words, lead);
  else if (identical)
    result.sentence =
        fmt::format("{} have the same bits {}", words.subject, over_text(steps_of(gaps.front())));
  else
    result.sentence = held_text(gaps, rule, words, lead);
  return result;
}

}  // namespace parity::compare
