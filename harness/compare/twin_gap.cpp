// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twin_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/base/json_fields.hpp"
#include "harness/compare/curve_course.hpp"
#include "harness/compare/curve_pattern.hpp"
#include "harness/compare/quantity.hpp"
#include "harness/compare/series_difference.hpp"
#include "harness/compare/tensor_gap.hpp"
#include "harness/compare/wording.hpp"

namespace parity {
namespace {

/// The two arms and their twins.
struct Four {
  Side a, b, twin_a, twin_b;
};

Four four_of(const std::vector<Side>& sides) {
  for (const Side& side : sides)
    if (text_or(side.trace->config(), "dtype") == "float64")
      throw MissingEvidence(side.name +
                            " is a float64 run itself (a collapse is seen between float32 and its float64 "
                            "twin); give the arm dtype = \"float32\"");
  return {sides.at(0), sides.at(1), twin_of(sides.at(0)), twin_of(sides.at(1))};
}

/// Names the first NaN of a channel, in any of the four runs.
std::string nan_text(const std::string& channel, const Four& four, const std::vector<int64_t>& steps) {
  for (const Side* side : {&four.a, &four.b, &four.twin_a, &four.twin_b}) {
    const Series series = channel_at(*side, channel, steps);
    for (size_t i = 0; i < series.size(); ++i)
      if (!std::isfinite(series.widened(i)))
        return fmt::format("{} of {} is {} at step {} (not finite: no gap can be measured)", channel,
                           side->name, series.widened(i), steps[i]);
  }
  return "";
}

/// The step of the largest gap, and both values at the first.
void name_places(TwinGap& gap, const SeriesDifference& difference, const Series& a, const Series& b,
                 const Four& four) {
  if (!difference.first)
    return;
  const size_t first = *difference.first;
  const size_t worst = difference.worst;
  const std::string distance = distance_text(difference, a, b, first);
  gap.first_text = fmt::format(
      "at step {}: {} {}, {} {}{}", a.steps[first], four.a.name, a.text(first, difference.float32_valued),
      four.b.name, b.text(first, difference.float32_valued), distance.empty() ? "" : " (" + distance + ")");
  const double size = std::abs(b.widened(worst) - a.widened(worst));
  gap.worst = WorstPlace{.step = a.steps[worst],
                         .quantity = gap.quantity,
                         .index = {},
                         .expected = a.widened(worst),
                         .actual = b.widened(worst),
                         .metric = "relative_gap",
                         .value = a.widened(worst) == 0 ? size : size / std::abs(a.widened(worst)),
                         .limit = 0};
}

/// Whether the arms attend under other masks from the first step on at which their values differ.
bool masks_differ_first(const Four& four, const std::vector<int64_t>& steps, size_t first) {
  for (const Side* side : {&four.a, &four.b})
    if (!side->trace->channels().contains("mask_digest"))
      return false;
  const SeriesDifference masks =
      measure_series(channel_at(four.a, "mask_digest", steps), channel_at(four.b, "mask_digest", steps));
  return masks.first == first;
}

/// Where two curves leave the rounding that their twins show, 8 times the largest so far (M7), and how large
/// their gap is beside what a loss falls by (M8).
void describe_course(TwinGap& gap, const Series& a, const Series& b, const Series& twin_a,
                     const Series& twin_b) {
  constexpr double floors = 8;
  std::vector<double> band;
  double noise = 0;
  for (size_t i = 0; i < std::min({a.size(), b.size(), twin_a.size(), twin_b.size()}); ++i) {
    noise = std::max(
        {noise, std::abs(a.widened(i) - twin_a.widened(i)), std::abs(b.widened(i) - twin_b.widened(i))});
    band.push_back(floors * noise);
  }
  if (const auto horizon = divergence_horizon(a, b, band)) {
    gap.measured["horizon_step"] = a.steps.at(*horizon);
    if (*horizon > 0)
      gap.course = fmt::format("within {:.0f} floors until step {}, beyond from step {} on", floors,
                               a.steps.at(*horizon - 1), a.steps.at(*horizon));
  }
  if (!gap.quantity.ends_with("loss"))
    return;
  if (const auto error = descent_error(a, b)) {
    gap.measured["descent_error"] = *error;
    gap.course += fmt::format("{}at most {} of its descent", gap.course.empty() ? "" : "; ",
                              fmt::format("{:.2g} %", 100 * *error));
  }
}

TwinGap measure_channel(const std::string& name, const Four& four, const std::vector<int64_t>& steps) {
  const Series a = channel_at(four.a, name, steps);
  const Series b = channel_at(four.b, name, steps);
  const Series twin_a = channel_at(four.twin_a, name, steps);
  const Series twin_b = channel_at(four.twin_b, name, steps);
  const SeriesDifference arms = measure_series(a, b);
  const SeriesDifference twins = measure_series(twin_a, twin_b);
  TwinGap gap;
  gap.quantity = name;
  gap.integral = arms.integral;
  gap.identical = arms.identical();
  gap.steps = steps;
  gap.collapse = {arms.gap, twins.gap, twins.norm};
  gap.floor = std::max(measure_series(twin_a, a).gap, measure_series(twin_b, b).gap);
  gap.measured = arms.to_json();
  gap.broken = nan_text(name, four, steps);
  if (arms.types_differ || twins.types_differ)
    gap.broken = name + " is int64 in one arm and float64 in the other";
  gap.pattern = pattern_text(name, four.a.name, four.b.name, a, b, arms);
  if (gap.pattern.empty() && arms.first && masks_differ_first(four, steps, *arms.first))
    gap.pattern =
        fmt::format("{} step {} the arms attend under other masks",
                    *arms.first == 0 ? "from" : "identical until masks differ: from", steps[*arms.first]);
  if (!gap.integral && gap.broken.empty())
    describe_course(gap, a, b, twin_a, twin_b);
  name_places(gap, arms, a, b, four);
  return gap;
}

double hypotenuse(double a, double b) {
  return std::sqrt(a * a + b * b);
}

/// The twin's tensor of the same key. \throws MissingEvidence if it was not recorded there
TensorSource twin_source(const Side& twin, const TensorKey& key) {
  const TensorSource source = tensor_source(*twin.trace, key);
  if (!source.sketch && !source.whole())
    throw MissingEvidence(fmt::format("{} has no {} {} at step {} (its arm has); capture it in both",
                                      twin.name, name_of(key.phase), key.name, key.step));
  return source;
}

void add_tensor(TwinGap& gap, const TensorPair& pair, const Four& four) {
  const TensorSource a = tensor_source(*four.a.trace, pair.expected);
  const TensorSource b = tensor_source(*four.b.trace, pair.actual);
  const TensorSource twin_a = twin_source(four.twin_a, pair.expected);
  const TensorSource twin_b = twin_source(four.twin_b, pair.actual);
  const TensorGap arms = measure_tensor(a, b);
  const TensorGap twins = measure_tensor(twin_a, twin_b);
  for (const TensorGap* each : {&arms, &twins})
    if (!each->identical && !std::isfinite(each->gap))
      gap.broken = fmt::format("{} of {} and {} at step {}: {}", gap.quantity, four.a.name, four.b.name,
                               pair.expected.step, each->text(four.a.name, four.b.name));
  gap.identical = gap.identical && arms.identical;
  gap.estimated = gap.estimated || arms.estimated || twins.estimated;
  gap.collapse.gap32 = hypotenuse(gap.collapse.gap32, arms.gap);
  gap.collapse.gap64 = hypotenuse(gap.collapse.gap64, twins.gap);
  gap.collapse.norm64 = hypotenuse(gap.collapse.norm64, twins.norm);
  gap.floor = hypotenuse(gap.floor, std::max(tensor_distance(twin_a, a), tensor_distance(twin_b, b)));
  gap.rows.push_back(arms.row(pair.expected));
  if (gap.steps.empty() || gap.steps.back() != pair.expected.step)
    gap.steps.push_back(pair.expected.step);
  if (arms.identical)
    return;
  if (gap.first_text.empty())
    gap.first_text = fmt::format("at step {}: {}", pair.expected.step, arms.text(four.a.name, four.b.name));
  if (gap.worst && arms.relative_l2 <= gap.worst->value)
    return;
  gap.measured = arms.measured();
  gap.worst = WorstPlace{.step = pair.expected.step,
                         .quantity = pair.expected.name,
                         .index = arms.worst,
                         .expected = arms.worst_expected,
                         .actual = arms.worst_actual,
                         .metric = "relative_l2",
                         .value = arms.relative_l2,
                         .limit = 0};
}

std::vector<TwinGap> measure_tensors(const Check& check, const Four& four) {
  std::vector<TwinGap> gaps;
  std::map<std::string, size_t> position;
  for (const TensorPair& pair : pair_tensors(check, four.a, four.b)) {
    const auto [found, added] = position.emplace(pair.expected.name, gaps.size());
    if (added) {
      TwinGap gap;
      gap.quantity = fmt::format("{} {}", name_of(check.phase), pair.expected.name);
      gap.identical = true;
      gap.measured = Json::object();
      gap.rows = Json::array();
      gaps.push_back(std::move(gap));
    }
    add_tensor(gaps[found->second], pair, four);
  }
  return gaps;
}

}  // namespace

double TwinGap::floors() const {
  if (floor == 0)
    return collapse.gap32 == 0 ? 0 : collapse.gap32 * std::numeric_limits<double>::infinity();
  return collapse.gap32 / floor;
}

std::vector<TwinGap> measure_twins(const Check& check, const std::vector<Side>& sides) {
  const Four four = four_of(sides);
  if (check.of_tensors())
    return measure_tensors(check, four);
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
  std::vector<TwinGap> gaps;
  for (const std::string& name : match_channels(check.channels, sides))
    gaps.push_back(measure_channel(name, four, steps));
  return gaps;
}

std::string subject_text(const Check& check, const std::vector<TwinGap>& gaps, const Side& b) {
  if (check.of_tensors())
    return fmt::format("{} of {} is", check.quantity(), b.name);
  std::vector<std::string> names;
  names.reserve(gaps.size());
  for (const TwinGap& gap : gaps)
    names.push_back(gap.quantity);
  return fmt::format("{} of {} {}", list_text(names), b.name, names.size() == 1 ? "is" : "are");
}

TwinGap join(const std::vector<TwinGap>& gaps, const std::string& quantity) {
  TwinGap all;
  all.identical = true;
  all.rows = Json::array();
  const TwinGap* lead = nullptr;
  for (const TwinGap& gap : gaps) {
    all.identical = all.identical && gap.identical;
    all.estimated = all.estimated || gap.estimated;
    all.broken = all.broken.empty() ? gap.broken : all.broken;
    all.collapse.gap32 = hypotenuse(all.collapse.gap32, gap.collapse.gap32);
    all.collapse.gap64 = hypotenuse(all.collapse.gap64, gap.collapse.gap64);
    all.collapse.norm64 = hypotenuse(all.collapse.norm64, gap.collapse.norm64);
    all.floor = hypotenuse(all.floor, gap.floor);
    for (const Json& row : gap.rows)
      all.rows.push_back(row);
    const bool larger = gap.worst && (!lead || !lead->worst || gap.worst->value > lead->worst->value);
    if (!lead || larger)
      lead = &gap;
  }
  if (lead) {
    all.measured = lead->measured;
    all.first_text = lead->quantity + " " + lead->first_text;
    all.worst = lead->worst;
  }
  if (!gaps.empty())
    all.steps = gaps.front().steps;
  all.quantity = quantity;
  return all;
}

}  // namespace parity
