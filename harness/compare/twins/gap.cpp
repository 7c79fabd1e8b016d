// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/compare/curves/course.hpp"
#include "harness/compare/curves/pattern.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/measure.hpp"

namespace parity::compare {
namespace {

/// Returns what the twins showed for a quantity. \throws MissingEvidence if they showed nothing
const TwinMeasure& measure_of(const TwinEvidence& twins, const std::string& quantity) {
  const auto found = std::ranges::find(twins.measures, quantity, &TwinMeasure::quantity);
  if (found == twins.measures.end())
    throw MissingEvidence(fmt::format(
        "the stored evidence has no float64 result of {}; run the twins again: parity run --evidence again",
        quantity));
  return *found;
}

/// Sets the step of the largest gap, and the text with both values at the first gap.
void name_places(TwinGap& gap, const SeriesDifference& difference, const Series& a, const Series& b,
                 const Side& side_a, const Side& side_b) {
  if (!difference.first)
    return;
  const size_t first = *difference.first;
  const size_t worst = difference.worst;
  const std::string distance = distance_text(difference, a, b, first);
  gap.first_text = fmt::format(
      "at step {}: {} {}, {} {}{}", a.steps[first], side_a.name, a.text(first, difference.float32_valued),
      side_b.name, b.text(first, difference.float32_valued), distance.empty() ? "" : " (" + distance + ")");
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

/// Returns whether the arms use different attention masks from the first step on at which their values
/// differ.
bool masks_differ_first(const Side& a, const Side& b, const std::vector<int64_t>& steps, size_t first) {
  for (const Side* side : {&a, &b})
    if (!side->trace->channels().contains("mask_digest"))
      return false;
  const SeriesDifference masks =
      measure_series(channel_at(a, "mask_digest", steps), channel_at(b, "mask_digest", steps));
  return masks.first == first;
}

/// Describes where two curves leave the rounding that their twins show, 8 times the largest so far (M7). For
/// a loss it also states the gap relative to the descent (M8).
void describe_course(TwinGap& gap, const Series& a, const Series& b, const std::vector<double>& noise) {
  constexpr double floors = 8;
  std::vector<double> band;
  double largest = 0;
  for (const double at_step : noise) {
    largest = std::max(largest, at_step);
    band.push_back(floors * largest);
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

TwinGap measure_channel(const Side& side_a, const Side& side_b, const std::vector<int64_t>& steps,
                        const TwinMeasure& twins) {
  const std::string& name = twins.quantity;
  const Series a = channel_at(side_a, name, steps);
  const Series b = channel_at(side_b, name, steps);
  const SeriesDifference arms = measure_series(a, b);
  TwinGap gap;
  gap.quantity = name;
  gap.integral = arms.integral;
  gap.identical = arms.identical();
  gap.steps = a.steps;
  gap.collapse = {arms.gap, twins.gap, twins.norm};
  gap.floor = twins.floor;
  gap.distance_a = twins.distance_a;
  gap.distance_b = twins.distance_b;
  gap.measured = arms.to_json();
  gap.broken = non_finite_text(name, {&side_a, &side_b}, steps);
  if (gap.broken.empty())
    gap.broken = twins.broken;
  if (arms.types_differ)
    gap.broken = name + " is int64 in one arm and float64 in the other";
  if (gap.broken.empty() && twins.noise.size() != steps.size())
    gap.broken =
        fmt::format("{} has {} steps in float64, but {} in float32", name, twins.noise.size(), steps.size());
  gap.pattern = pattern_text(name, side_a.name, side_b.name, a, b, arms);
  if (gap.pattern.empty() && arms.first && masks_differ_first(side_a, side_b, steps, *arms.first))
    gap.pattern =
        fmt::format("{} step {} the arms attend under other masks",
                    *arms.first == 0 ? "from" : "identical until masks differ: from", steps[*arms.first]);
  if (!gap.integral && gap.broken.empty())
    describe_course(gap, a, b, twins.noise);
  name_places(gap, arms, a, b, side_a, side_b);
  return gap;
}

/// Returns a quantity before any of its tensors is added.
TwinGap tensor_quantity(const TwinMeasure& twins) {
  TwinGap gap;
  gap.quantity = twins.quantity;
  gap.identical = true;
  gap.estimated = twins.estimated;
  gap.collapse = {0, twins.gap, twins.norm};
  gap.floor = twins.floor;
  gap.distance_a = twins.distance_a;
  gap.distance_b = twins.distance_b;
  gap.broken = twins.broken;
  gap.measured = Json::object();
  return gap;
}

/// Returns the model of the finer of two dtypes. A narrower dtype in one arm alone needs an allowance of the
/// check.
RoundingModel finer_model(const TensorSource& a, const TensorSource& b) {
  const RoundingModel of_a = rounding_model(dtype_of(a)), of_b = rounding_model(dtype_of(b));
  return of_a.roundoff <= of_b.roundoff ? of_a : of_b;
}

void add_tensor(TwinGap& gap, const TensorPair& pair, const Side& a, const Side& b) {
  const TensorSource source_a = tensor_source(*a.trace, pair.expected);
  const TensorSource source_b = tensor_source(*b.trace, pair.actual);
  const RoundingModel model = finer_model(source_a, source_b);
  if (gap.rows.empty() || model.roundoff < gap.model.roundoff)
    gap.model = model;
  const TensorGap arms = measure_tensor(source_a, source_b);
  if (!arms.identical && !std::isfinite(arms.gap))
    gap.broken = fmt::format("{} of {} and {} at step {}: {}", gap.quantity, a.name, b.name,
                             pair.expected.step, arms.text(a.name, b.name));
  gap.identical = gap.identical && arms.identical;
  gap.estimated = gap.estimated || arms.estimated;
  gap.collapse.gap32 = hypotenuse(gap.collapse.gap32, arms.gap);
  gap.rows.push_back(arms.row(pair.expected));
  if (gap.steps.empty() || gap.steps.back() != pair.expected.step)
    gap.steps.push_back(pair.expected.step);
  if (arms.identical)
    return;
  if (gap.first_text.empty())
    gap.first_text = fmt::format("at step {}: {}", pair.expected.step, arms.text(a.name, b.name));
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

std::vector<TwinGap> measure_tensors(const Check& check, const Side& a, const Side& b,
                                     const TwinEvidence& twins) {
  std::vector<TwinGap> gaps;
  std::map<std::string, size_t> position;
  for (const TensorPair& pair : pair_tensors(check, a, b)) {
    const auto [found, added] = position.emplace(pair.expected.name, gaps.size());
    if (added)
      gaps.push_back(
          tensor_quantity(measure_of(twins, fmt::format("{} {}", name_of(check.phase), pair.expected.name))));
    add_tensor(gaps[found->second], pair, a, b);
  }
  return gaps;
}

}  // namespace

double TwinGap::floors() const {
  if (floor == 0)
    return collapse.gap32 == 0 ? 0 : collapse.gap32 * std::numeric_limits<double>::infinity();
  return collapse.gap32 / floor;
}

RoundingSize rounding_size_of(const TwinGap& gap, const Check& check, const Side& a, const Side& b) {
  const auto allowed = [&](const Side& side) {
    RoundingModel model = gap.model;
    if (side.sixteen_bits)
      model = wider_allowance(model, rounding_model(DType::bfloat16));
    if (check.precision)
      model = wider_allowance(model, rounding_model(*check.precision));
    return model;
  };
  RoundingSize size;
  size.collapse = gap.collapse;
  size.distance_a = gap.distance_a;
  size.distance_b = gap.distance_b;
  size.model_a = allowed(a);
  size.model_b = allowed(b);
  size.comparable = !check.precision && size.model_a.dtype == size.model_b.dtype;
  size.exact = !check.of_tensors();
  size.factor = check.imprecision.value_or(1);
  return size;
}

std::vector<TwinGap> measure_twin_gaps(const Check& check, const std::vector<Side>& sides,
                                       const TwinEvidence& twins) {
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  if (check.of_tensors())
    return measure_tensors(check, a, b, twins);
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
  std::vector<TwinGap> gaps;
  for (const std::string& name : match_channels(check.channels, sides))
    gaps.push_back(measure_channel(a, b, steps, measure_of(twins, name)));
  return gaps;
}

std::string subject_text(const Check& check, const std::vector<TwinGap>& gaps, const Side& a, const Side& b) {
  std::vector<std::string> names;
  names.reserve(gaps.size());
  for (const TwinGap& gap : gaps)
    names.push_back(gap.quantity);
  return fmt::format("{} of {} and {}", check.of_tensors() ? check.quantity() : list_text(names), b.name,
                     a.name);
}

TwinGap join(const std::vector<TwinGap>& gaps, const std::string& quantity) {
  TwinGap all;
  all.identical = true;
  const TwinGap* lead = nullptr;
  for (const TwinGap& gap : gaps) {
    all.identical = all.identical && gap.identical;
    all.estimated = all.estimated || gap.estimated;
    all.broken = all.broken.empty() ? gap.broken : all.broken;
    all.collapse.gap32 = hypotenuse(all.collapse.gap32, gap.collapse.gap32);
    all.collapse.gap64 = hypotenuse(all.collapse.gap64, gap.collapse.gap64);
    all.collapse.norm64 = hypotenuse(all.collapse.norm64, gap.collapse.norm64);
    all.floor = hypotenuse(all.floor, gap.floor);
    all.distance_a = hypotenuse(all.distance_a, gap.distance_a);
    all.distance_b = hypotenuse(all.distance_b, gap.distance_b);
    if (!lead || gap.model.roundoff < all.model.roundoff)
      all.model = gap.model;
    for (const results::TensorRow& row : gap.rows)
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

}  // namespace parity::compare
