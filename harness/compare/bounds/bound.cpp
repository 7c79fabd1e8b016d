// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/bounds/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

double ratio(double gap, double scale) {
  if (scale == 0)
    return gap == 0 ? 0 : gap * std::numeric_limits<double>::infinity();
  return gap / scale;
}

/// The largest relative floor of a quantity, and its place.
const BoundedStep* noisiest(const BoundedGap& gap) {
  const BoundedStep* most = nullptr;
  for (const BoundedStep& step : gap.steps)
    if (!most || step.relative_floor() > most->relative_floor())
      most = &step;
  return most;
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

double BoundRule::use(const BoundedStep& step) const {
  return ratio(step.gap, limit(step));
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
    const std::string measured = fmt::format("the relative rounding noise of {} is {} at step {}",
                                             gap.quantity, size_text(floor), most->step);
    const std::string advice = fmt::format(
        "omit the tolerance (the bound is then {:.0f} floors at each step), or justify it with "
        "tolerance_because",
        alpha);
    if (!(*tolerance >= floor))
      return fmt::format("cannot use a tolerance of {} ({}, so the check would fail by chance); {}",
                         size_text(*tolerance), measured, advice);
    if (!(*tolerance <= loosest * floor))
      return fmt::format("cannot use a tolerance of {} ({}, so it accepts differences {} times as large); {}",
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

}  // namespace parity::compare
