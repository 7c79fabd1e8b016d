// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/measure.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/twins/path.hpp"

namespace parity::compare {
namespace {

/// The two arms and their twins.
struct Four {
  Side a, b, twin_a, twin_b;
};

void refuse_float64_arms(const std::vector<Side>& sides) {
  for (const Side& side : sides)
    if (text_or(side.trace->config(), "dtype") == "float64")
      throw MissingEvidence(
          side.name +
          " runs in float64 itself (a collapse is measured between a float32 run and its float64 "
          "twin); set dtype = \"float32\" in the arm");
}

/// Returns the first update at which a channel of an arm and its twin differ; nothing if neither has it.
/// \param last  of the updates that are judged
std::optional<int64_t> first_other(const std::string& channel, const Side& arm, const Side& twin,
                                   int64_t last) {
  if (!arm.trace->channels().contains(channel) && !twin.trace->channels().contains(channel))
    return std::nullopt;
  std::vector<int64_t> steps = arm.trace->steps();
  std::erase_if(steps, [last](int64_t step) { return step > last; });
  const Series of_arm = channel_at(arm, channel, steps), of_twin = channel_at(twin, channel, steps);
  for (size_t i = 0; i < steps.size(); ++i)
    if (!same_bits(of_arm, i, of_twin, i))
      return steps[i];
  return std::nullopt;
}

/// Requires that a twin makes its arm's updates, of the same batches. float64 does not overflow where
/// narrower types do, and may sample other tokens: neither is rounding.
/// \throws MissingEvidence at the first update that is another one
void require_same_updates(const Side& arm, const Side& twin, int64_t last) {
  constexpr const char* so =
      "so the twin is another run and shows no rounding; judge earlier updates, or compare "
      "the arms by bits or bounds";
  if (const auto step = first_other("update_skipped", arm, twin, last))
    throw MissingEvidence(
        fmt::format("only one of {} and its float64 twin skipped update {}, {}", arm.name, *step, so));
  if (const auto step = first_other("batch_digest", arm, twin, last))
    throw MissingEvidence(
        fmt::format("{} and its float64 twin read different batches at update {}, {}", arm.name, *step, so));
}

TwinMeasure measure_twin_channel(const std::string& name, const Four& four,
                                 const std::vector<int64_t>& steps) {
  const Series a = channel_at(four.a, name, steps);
  const Series b = channel_at(four.b, name, steps);
  const Series twin_a = channel_at(four.twin_a, name, steps);
  const Series twin_b = channel_at(four.twin_b, name, steps);
  const SeriesDifference twins = measure_series(twin_a, twin_b);
  TwinMeasure measure;
  measure.quantity = name;
  measure.gap = twins.gap;
  measure.norm = twins.norm;
  measure.distance_a = measure_series(twin_a, a).gap;
  measure.distance_b = measure_series(twin_b, b).gap;
  measure.floor = std::max(measure.distance_a, measure.distance_b);
  for (size_t i = 0; i < steps.size(); ++i)
    measure.noise.push_back(
        std::max(std::abs(a.widened(i) - twin_a.widened(i)), std::abs(b.widened(i) - twin_b.widened(i))));
  measure.broken = non_finite_text(name, {&four.twin_a, &four.twin_b}, steps);
  if (twins.types_differ)
    measure.broken = name + " is int64 in one arm and float64 in the other";
  return measure;
}

/// Returns the larger of two distances; NaN if either is NaN, which std::max may drop.
double larger_or_nan(double a, double b) {
  return std::isnan(a) || b < a ? a : b;
}

/// Returns the twin's tensor with the same key. \throws MissingEvidence if the twin did not record it
TensorSource twin_source(const Side& twin, const trace::TensorKey& key) {
  const TensorSource source = tensor_source(*twin.trace, key);
  if (!source.sketch && !source.whole())
    throw MissingEvidence(fmt::format("{} has no {} {} at step {}, but its arm has one; capture it in both",
                                      twin.name, name_of(key.phase), key.name, key.step));
  return source;
}

void add_twin_tensor(TwinMeasure& measure, const TensorPair& pair, const Four& four) {
  const TensorSource a = tensor_source(*four.a.trace, pair.expected);
  const TensorSource b = tensor_source(*four.b.trace, pair.actual);
  const TensorSource twin_a = twin_source(four.twin_a, pair.expected);
  const TensorSource twin_b = twin_source(four.twin_b, pair.actual);
  const TensorGap twins = measure_tensor(twin_a, twin_b);
  if (!twins.identical && !std::isfinite(twins.gap))
    measure.broken = fmt::format("{} of {} and {} at step {}: {}", measure.quantity, four.a.name, four.b.name,
                                 pair.expected.step, twins.text(four.a.name, four.b.name));
  measure.estimated = measure.estimated || twins.estimated;
  measure.gap = hypotenuse(measure.gap, twins.gap);
  measure.norm = hypotenuse(measure.norm, twins.norm);
  const double distance_a = tensor_distance(twin_a, a), distance_b = tensor_distance(twin_b, b);
  measure.distance_a = hypotenuse(measure.distance_a, distance_a);
  measure.distance_b = hypotenuse(measure.distance_b, distance_b);
  measure.floor = hypotenuse(measure.floor, larger_or_nan(distance_a, distance_b));
}

std::vector<TwinMeasure> measure_twin_tensors(const Check& check, const Four& four) {
  std::vector<TwinMeasure> measures;
  std::map<std::string, size_t> position;
  for (const TensorPair& pair : pair_tensors(check, four.a, four.b)) {
    const auto [found, added] = position.emplace(pair.expected.name, measures.size());
    if (added)
      measures.push_back({.quantity = fmt::format("{} {}", name_of(check.phase), pair.expected.name),
                          .noise = {},
                          .broken = {}});
    add_twin_tensor(measures[found->second], pair, four);
  }
  return measures;
}

}  // namespace

TwinEvidence twin_evidence_of(const Check& check, const std::vector<Side>& sides) {
  refuse_float64_arms(sides);
  if (sides.at(0).stored_twins)
    return *sides.at(0).stored_twins;
  const Four four = {sides.at(0), sides.at(1), twin_of(sides.at(0)), twin_of(sides.at(1))};
  const int64_t last = resolve(check.steps, sides).last;
  require_same_updates(four.a, four.twin_a, last);
  require_same_updates(four.b, four.twin_b, last);
  TwinEvidence evidence;
  evidence.other_path = find_other_path(four.twin_a, four.twin_b).value_or("");
  if (check.of_tensors()) {
    evidence.measures = measure_twin_tensors(check, four);
    return evidence;
  }
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
  for (const std::string& name : match_channels(check.channels, sides))
    evidence.measures.push_back(measure_twin_channel(name, four, steps));
  return evidence;
}

std::string non_finite_text(const std::string& channel, const std::vector<const Side*>& sides,
                            const std::vector<int64_t>& steps) {
  for (const Side* side : sides) {
    const Series series = channel_at(*side, channel, steps);
    for (size_t i = 0; i < series.size(); ++i)
      if (!std::isfinite(series.widened(i)))
        return fmt::format("{} of {} is {} at step {} (not finite: no gap can be measured)", channel,
                           side->name, series.widened(i), steps[i]);
  }
  return "";
}

double hypotenuse(double a, double b) {
  return std::sqrt(a * a + b * b);
}

}  // namespace parity::compare
