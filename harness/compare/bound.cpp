// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/compare/quantity.hpp"
#include "harness/compare/series_difference.hpp"
#include "harness/compare/wording.hpp"

namespace parity {
namespace {

double ratio(double gap, double scale) {
  if (scale == 0)
    return gap == 0 ? 0 : gap * std::numeric_limits<double>::infinity();
  return gap / scale;
}

/// The largest relative floor of a quantity, and where.
const BoundedStep* noisiest(const BoundedGap& gap) {
  const BoundedStep* most = nullptr;
  for (const BoundedStep& step : gap.steps)
    if (!most || step.relative_floor() > most->relative_floor())
      most = &step;
  return most;
}

std::vector<int64_t> steps_of(const BoundedGap& gap) {
  std::vector<int64_t> steps;
  for (const BoundedStep& step : gap.steps)
    if (steps.empty() || steps.back() != step.step)
      steps.push_back(step.step);
  return steps;
}

/// How much of its limit a gap takes; above 1 it does not hold.
double use_of(const BoundedStep& step, const BoundRule& rule) {
  return ratio(step.gap, rule.limit(step));
}

bool holds(const BoundedGap& gap, const BoundRule& rule) {
  return gap.broken.empty() && std::all_of(gap.steps.begin(), gap.steps.end(), [&](const BoundedStep& step) {
           return step.gap <= rule.limit(step);
         });
}

/// The place that takes most of its limit, over all quantities; one that is broken comes first.
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
      if (!lead.step || use_of(step, rule) > use_of(*lead.step, rule))
        lead = {&gap, &step};
  }
  return lead;
}

std::string limit_text(const BoundRule& rule, const BoundedStep& step) {
  if (rule.limit(step) == 0)
    return "at a floor of 0 the bits must agree: rounding has not shown there";
  if (rule.tolerance)
    return "allowed " + size_text(*rule.tolerance);
  return fmt::format("allowed {:.0f}; floor {}", rule.alpha, size_text(step.floor));
}

/// "a relative gap of 3e-07, 1.2 floors".
std::string size_of(const BoundedStep& step) {
  const std::string gap = "a relative gap of " + size_text(step.relative());
  return step.floor == 0 ? gap : gap + ", " + size_text(step.floors()) + " floors";
}

std::string fault_text(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words,
                       const Lead& lead) {
  if (!lead.gap->broken.empty())
    return lead.gap->broken;
  const auto beyond = [&](const BoundedStep& step) { return !(step.gap <= rule.limit(step)); };
  const auto first = std::find_if(lead.gap->steps.begin(), lead.gap->steps.end(), beyond);
  std::string text = fmt::format("{} of {} is not {}'s within its bound at step {}: {} ({}); {}",
                                 lead.gap->quantity, words.actual_name, words.expected_name, lead.step->step,
                                 size_of(*lead.step), limit_text(rule, *lead.step), lead.step->text);
  if (lead.gap->steps.size() > 1)
    text += fmt::format("; beyond it at {} of {} steps, first at {}",
                        std::count_if(lead.gap->steps.begin(), lead.gap->steps.end(), beyond),
                        lead.gap->steps.size(), first->step);
  const auto bad =
      std::count_if(gaps.begin(), gaps.end(), [&](const BoundedGap& gap) { return !holds(gap, rule); });
  return gaps.size() > 1 ? text + fmt::format("; {} of {} quantities", bad, gaps.size()) : text;
}

std::string held_text(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words,
                      const Lead& lead) {
  const std::string bound = rule.tolerance ? "a tolerance of " + size_text(*rule.tolerance)
                                           : fmt::format("{:.0f} measured floors", rule.alpha);
  return fmt::format("{} {}'s within {} {}: most in {} at step {}, {}{}", words.subject, words.expected_name,
                     bound, over_text(steps_of(gaps.front())), lead.gap->quantity, lead.step->step,
                     size_of(*lead.step), lead.gap->estimated ? " (estimated from sketches)" : "");
}

void add_rows(CheckResult& result, const std::vector<BoundedGap>& gaps) {
  for (const BoundedGap& gap : gaps) {
    const size_t space = gap.quantity.find(' ');
    if (space == std::string::npos)
      continue;  // a channel
    for (const BoundedStep& step : gap.steps)
      result.tensors.push_back({{"step", step.step},
                                {"phase", gap.quantity.substr(0, space)},
                                {"name", gap.quantity.substr(space + 1)},
                                {"relative_l2", json_number(step.relative())},
                                {"floors", json_number(step.floors())},
                                {"identical", step.text.empty()},
                                {"estimated", gap.estimated}});
  }
}

void add_measures(CheckResult& result, const BoundRule& rule, const Lead& lead) {
  if (!lead.step)
    return;
  result.measured = {{"relative_gap", json_number(lead.step->relative())},
                     {"floors", json_number(lead.step->floors())},
                     {"relative_floor", json_number(lead.step->relative_floor())}};
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

double BoundedStep::floors() const {
  return ratio(gap, floor);
}

double BoundedStep::relative() const {
  return ratio(gap, scale);
}

double BoundedStep::relative_floor() const {
  return ratio(floor, scale);
}

double BoundRule::limit(const BoundedStep& step) const {
  if (!tolerance)
    return alpha * step.floor;
  return step.floor == 0 && !reasoned ? 0 : *tolerance * step.scale;
}

std::string BoundRule::refusal(const std::vector<BoundedGap>& gaps) const {
  if (!tolerance || reasoned)
    return "";
  for (const BoundedGap& gap : gaps) {
    const BoundedStep* most = noisiest(gap);
    if (!most)
      continue;
    const double floor = most->relative_floor();
    const std::string measured = fmt::format("the rounding noise of {} is {} of it at step {}", gap.quantity,
                                             size_text(floor), most->step);
    const std::string advice = fmt::format(
        "; leave the tolerance out (the bound then is {:.0f} floors at each step), or say why with "
        "tolerance_because",
        alpha);
    if (!(*tolerance >= floor))
      return fmt::format("a tolerance of {} is refused: {}, so it would fail by chance{}",
                         size_text(*tolerance), measured, advice);
    if (!(*tolerance <= loosest * floor))
      return fmt::format("a tolerance of {} is refused: {}, so it lets through what is {} times as large{}",
                         size_text(*tolerance), measured, size_text(ratio(*tolerance, floor)), advice);
  }
  return "";
}

BoundRule rule_of(const Check& check) {
  BoundRule rule;
  rule.tolerance = check.tolerance;
  rule.reasoned = !check.tolerance_because.empty();
  return rule;
}

double floor_of(const std::vector<Side>& arms, const std::string& quantity, int64_t step) {
  double floor = 0;
  for (const Side& arm : arms) {
    const std::string wanted = fmt::format("{} of {} at step {}", quantity, arm.name, step);
    if (!arm.floors)
      throw MissingEvidence(
          fmt::format("the rounding noise of {} is not known ({})", wanted,
                      arm.floors_problem.empty() ? "measure it with: parity calibrate" : arm.floors_problem));
    const auto measured = FloorCurve(*arm.floors, quantity).at(step);
    if (!measured)
      throw MissingEvidence(
          fmt::format("the rounding noise of {} was not measured; {}", wanted,
                      arm.floors_problem.empty() ? "measure it with: parity calibrate" : arm.floors_problem));
    floor = std::max(floor, *measured);
  }
  return floor;
}

BoundedGap bounded_series(const std::string& channel, const Series& expected, const Series& actual,
                          const std::vector<Side>& floor_arms, const BoundWords& words) {
  BoundedGap gap;
  gap.quantity = channel;
  const SeriesDifference difference = measure_series(expected, actual);
  gap.identical = difference.identical();
  for (size_t i = 0; i < expected.size(); ++i) {
    const double e = expected.widened(i), a = actual.widened(i);
    BoundedStep step;
    step.step = expected.steps[i];
    step.scale = std::abs(e);
    step.expected = e;
    step.actual = a;
    const bool same = same_bits(expected, i, actual, i);
    step.gap = same ? 0 : std::abs(a - e);
    step.floor = difference.integral ? 0 : floor_of(floor_arms, channel, step.step);
    if (!same) {
      const std::string distance = distance_text(difference, expected, actual, i);
      step.text =
          fmt::format("{} {}, {} {}{}", words.expected_name, expected.text(i, difference.float32_valued),
                      words.actual_name, actual.text(i, difference.float32_valued),
                      distance.empty() ? "" : " (" + distance + ")");
    }
    const bool finite = std::isfinite(e) && std::isfinite(a);
    if (gap.broken.empty() && !same && (!finite || difference.integral))
      gap.broken = fmt::format("{} of {} is not {}'s at step {}: {} ({})", channel, words.actual_name,
                               words.expected_name, step.step, step.text,
                               finite ? "counts have no rounding" : "not finite: no gap can be measured");
    gap.steps.push_back(std::move(step));
  }
  return gap;
}

void add_bounded_tensor(BoundedGap& gap, const TensorSource& expected, const TensorSource& actual,
                        const std::vector<Side>& floor_arms, const BoundWords& words) {
  const TensorGap found = measure_tensor(expected, actual);
  BoundedStep step;
  step.step = expected.key.step;
  step.gap = found.identical ? 0 : found.gap;
  step.scale = found.norm;
  step.floor = floor_of(floor_arms, gap.quantity, step.step);
  step.index = found.worst;
  step.expected = found.worst_expected;
  step.actual = found.worst_actual;
  if (!found.identical)
    step.text = found.text(words.expected_name, words.actual_name);
  if (gap.broken.empty() && !found.identical && !std::isfinite(found.gap))
    gap.broken =
        fmt::format("{} of {} at step {}: {}", gap.quantity, words.actual_name, step.step, step.text);
  gap.identical = gap.identical && found.identical;
  gap.estimated = gap.estimated || found.estimated;
  gap.steps.push_back(std::move(step));
}

std::vector<BoundedGap> measure_bounded(const Check& check, const std::vector<Side>& sides) {
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  const BoundWords words{a.name, b.name, ""};
  std::vector<BoundedGap> gaps;
  if (!check.of_tensors()) {
    const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
    for (const std::string& name : match_channels(check.channels, sides))
      gaps.push_back(
          bounded_series(name, channel_at(a, name, steps), channel_at(b, name, steps), sides, words));
    return gaps;
  }
  std::map<std::string, size_t> position;
  for (const TensorPair& pair : pair_tensors(check, a, b)) {
    const auto [found, added] = position.emplace(pair.expected.name, gaps.size());
    if (added) {
      gaps.emplace_back();
      gaps.back().quantity = fmt::format("{} {}", name_of(check.phase), pair.expected.name);
    }
    add_bounded_tensor(gaps[found->second], tensor_source(*a.trace, pair.expected),
                       tensor_source(*b.trace, pair.actual), sides, words);
  }
  return gaps;
}

std::string bounded_subject(const Check& check, const std::vector<BoundedGap>& gaps,
                            const std::string& actual) {
  if (check.of_tensors())
    return fmt::format("{} of {} is", check.quantity(), actual);
  std::vector<std::string> names;
  names.reserve(gaps.size());
  for (const BoundedGap& gap : gaps)
    names.push_back(gap.quantity);
  return fmt::format("{} of {} {}", list_text(names), actual, names.size() == 1 ? "is" : "are");
}

CheckResult judge_bound(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words) {
  CheckResult result;
  if (gaps.empty())
    throw MissingEvidence("the check matches no quantity");
  const Lead lead = leading(gaps, rule);
  add_measures(result, rule, lead);
  add_rows(result, gaps);
  if (const std::string refusal = rule.refusal(gaps); !refusal.empty()) {
    result.verdict = Verdict::vacuous;
    result.sentence = refusal;
    return result;
  }
  result.passed =
      std::all_of(gaps.begin(), gaps.end(), [&](const BoundedGap& gap) { return holds(gap, rule); });
  const bool identical =
      std::all_of(gaps.begin(), gaps.end(), [](const BoundedGap& gap) { return gap.identical; });
  result.verdict = !result.passed ? Verdict::different : identical ? Verdict::identical : Verdict::rounding;
  if (!result.passed)
    result.sentence = fault_text(gaps, rule, words, lead);
  else if (identical)
    result.sentence = fmt::format("{} {}'s, bit for bit, {}", words.subject, words.expected_name,
                                  over_text(steps_of(gaps.front())));
  else
    result.sentence = held_text(gaps, rule, words, lead);
  return result;
}

}  // namespace parity
