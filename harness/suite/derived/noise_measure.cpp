// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/noise_measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "harness/base/text/glob.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::suite {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kinds = EnumNames<compare::NoiseKind>::names.size();

bool is_of_numbers(const trace::Channel& channel) {
  return channel.kind == trace::ChannelKind::numeric &&
         std::holds_alternative<std::vector<double>>(channel.values);
}

std::map<int64_t, double> values_of(const trace::Trace& trace, const std::string& name) {
  std::map<int64_t, double> values;
  const auto found = trace.channels().find(name);
  if (found == trace.channels().end())
    return values;
  const std::vector<double> numbers = found->second.as_double();
  for (size_t i = 0; i < std::min(numbers.size(), trace.steps().size()); ++i)
    values[trace.steps()[i]] = numbers[i];
  return values;
}

/// Returns why a run is not usable to measure rounding; "" if it is.
std::string problem_of(const compare::ArmEvidence& noise, const trace::Trace& origin,
                       const WantedQuantities& wanted) {
  if (noise.crashed || !noise.trace)
    return noise.failure.empty() ? "the run did not finish" : noise.failure;
  const trace::Trace& trace = *noise.trace;
  if (trace.steps() != origin.steps())
    return "it recorded other steps";
  const auto mine = trace.channels().find("batch_digest"), its = origin.channels().find("batch_digest");
  if (mine != trace.channels().end() && its != origin.channels().end() &&
      mine->second.values != its->second.values)
    return "it trained on other batches";
  for (const std::string& channel : wanted.channels) {
    const double size = series_gap(origin, trace, channel).relative();
    if (!(size <= largest_noise))
      return fmt::format("the relative gap of {} is {}, which is more than rounding (at most {})", channel,
                         compare::size_text(size), compare::size_text(largest_noise));
  }
  return "";
}

/// The usable noise runs of an arm, with their kinds.
using Usable = std::vector<std::pair<compare::NoiseKind, const trace::Trace*>>;

/// Returns the largest difference of each kind, times the factor; NaN if a kind has none.
template <class Distance>
std::vector<double> noise_of(const Usable& usable, double factor, const Distance& distance) {
  std::vector<double> noise(kinds, nan);
  for (const auto& [kind, trace] : usable) {
    const double found = factor * distance(*trace);
    double& most = noise[static_cast<size_t>(kind)];
    if (std::isfinite(found) && !(found <= most))
      most = found;
  }
  return noise;
}

void add_channel(compare::ArmFloors& floors, const std::string& channel, const trace::Trace& arm,
                 const trace::Trace& origin, const Usable& usable, double factor) {
  const std::map<int64_t, double> centre = values_of(origin, channel);
  std::vector<std::map<int64_t, double>> others;
  for (const auto& [step, scale] : values_of(arm, channel)) {
    const auto at = centre.find(step);
    if (at == centre.end())
      continue;
    const auto distance = [&, here = step](const trace::Trace& trace) {
      const std::map<int64_t, double> values = values_of(trace, channel);
      const auto found = values.find(here);
      return found == values.end() ? nan : std::abs(found->second - at->second);
    };
    floors.rows.push_back({channel, step, std::abs(scale), noise_of(usable, factor, distance)});
  }
}

void add_tensor(compare::ArmFloors& floors, const trace::TensorKey& key, const trace::Trace& arm,
                const trace::Trace& origin, const Usable& usable, double factor) {
  const auto distance = [&](const trace::Trace& trace) {
    const compare::TensorSource source = compare::tensor_source(trace, key);
    const compare::TensorSource centre = compare::tensor_source(origin, key);
    const bool there = (source.sketch || source.whole()) && (centre.sketch || centre.whole());
    return there ? tensor_distance(centre, source) : nan;
  };
  const trace::SketchRow* row = arm.find_sketch(key);
  floors.rows.push_back({fmt::format("{} {}", name_of(key.phase), key.name), key.step, row ? row->norm : 0,
                         noise_of(usable, factor, distance)});
}

/// Returns whether noise could decide the check. Other checks are not used: one of their channels may be
/// different on purpose, which would leave out runs that are usable for all others.
bool is_about(const compare::Check& check, const std::string& arm) {
  const bool measures =
      check.relation == compare::Relation::equivalent || check.relation == compare::Relation::distinct ||
      check.relation == compare::Relation::bounded || check.relation == compare::Relation::no_farther;
  return measures && std::find(check.arms.begin(), check.arms.end(), arm) != check.arms.end();
}

}  // namespace

double SeriesGap::relative() const {
  return norm > 0 ? gap / norm : gap == 0 ? 0 : std::numeric_limits<double>::infinity();
}

SeriesGap series_gap(const trace::Trace& a, const trace::Trace& b, const std::string& channel) {
  SeriesGap found;
  const std::map<int64_t, double> other = values_of(b, channel);
  for (const auto& [step, value] : values_of(a, channel)) {
    const auto at = other.find(step);
    const double gap = at == other.end() ? nan : at->second - value;
    found.gap = std::hypot(found.gap, gap);
    found.norm = std::hypot(found.norm, value);
  }
  return found;
}

WantedQuantities wanted_of(const Case& source, const std::string& arm, const trace::Trace& trace) {
  std::set<std::string> channels;
  std::set<trace::TensorKey> tensors;
  const std::vector<trace::TensorKey> keys = compare::tensor_keys(trace);
  for (const compare::Check& check : source.checks) {
    if (!is_about(check, arm))
      continue;
    for (const std::string& pattern : check.channels)
      for (const auto& [name, channel] : trace.channels())
        if (is_of_numbers(channel) && (name == pattern || glob_match(pattern, name)))
          channels.insert(name);
    for (const trace::TensorKey& key : keys)
      if (check.of_tensors() && key.phase == check.phase && glob_match(check.tensor, key.name))
        tensors.insert(key);
  }
  return {{channels.begin(), channels.end()}, {tensors.begin(), tensors.end()}};
}

compare::ArmFloors measure_arm(const NoisePlan& plan, const WantedQuantities& wanted,
                               const std::map<std::string, compare::ArmEvidence>& arms,
                               std::vector<std::string>& left_out) {
  const trace::Trace& arm = *arms.at(plan.arm).trace;
  const trace::Trace& origin = *arms.at(plan.origin()).trace;
  Usable usable;
  for (const NoiseArm& noise : plan.noise) {
    const compare::ArmEvidence& evidence = arms.at(noise.arm.name());
    if (const std::string problem = problem_of(evidence, origin, wanted); !problem.empty())
      left_out.push_back(fmt::format("{}: {}: {}", plan.arm, name_of(noise.kind), problem));
    else
      usable.emplace_back(noise.kind, evidence.trace);
  }
  compare::ArmFloors floors;
  floors.config = arm.config();
  if (usable.empty())
    return floors;
  for (const std::string& channel : wanted.channels)
    add_channel(floors, channel, arm, origin, usable, plan.factor());
  for (const trace::TensorKey& key : wanted.tensors)
    add_tensor(floors, key, arm, origin, usable, plan.factor());
  std::stable_sort(floors.rows.begin(), floors.rows.end(),
                   [](const compare::FloorRow& a, const compare::FloorRow& b) {
                     return std::pair(a.quantity, a.step) < std::pair(b.quantity, b.step);
                   });
  return floors;
}

}  // namespace parity::suite
