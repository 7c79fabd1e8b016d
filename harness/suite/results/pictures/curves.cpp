// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/pictures/curves.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::suite {

namespace {

StepValues values_by_step(const trace::Channel& channel, const std::vector<int64_t>& steps) {
  StepValues values;
  const std::vector<double> numbers = channel.as_double();
  for (size_t i = 0; i < std::min(numbers.size(), steps.size()); ++i)
    values[steps[i]] = numbers[i];
  return values;
}

}  // namespace

StepValues step_values(const trace::Trace* trace, const std::string& name) {
  if (!trace)
    return {};
  const auto channel = trace->channels().find(name);
  if (channel == trace->channels().end() || channel->second.kind != trace::ChannelKind::numeric)
    return {};
  return values_by_step(channel->second, trace->steps());
}

namespace {

std::vector<results::Value> row(const std::vector<int64_t>& steps, const StepValues& values) {
  std::vector<results::Value> numbers;
  numbers.reserve(steps.size());
  for (const int64_t step : steps) {
    const auto found = values.find(step);
    numbers.push_back(found == values.end() ? results::Value() : found->second);
  }
  return numbers;
}

StepValues gap_of(const StepValues& a, const StepValues& b) {
  StepValues gap;
  for (const auto& [step, value] : a)
    if (const auto other = b.find(step); other != b.end())
      gap[step] = value == other->second ? 0.0 : std::abs(value - other->second);  // equal infinities: no gap
  return gap;
}

/// Returns the channels to plot, the usual ones first, without digests.
std::vector<std::string> channels_of(const Case& source, const Evidence& evidence) {
  std::set<std::string> names;
  for (const Arm& arm : source.arms)
    if (const trace::Trace* trace = evidence.trace(arm.name))
      for (const auto& [name, channel] : trace->channels())
        if (channel.kind == trace::ChannelKind::numeric && name.find("digest") == std::string::npos)
          names.insert(name);
  std::vector<std::string> ordered;
  for (const char* usual : {"loss", "lr", "grad_norm", "update_norm"})
    if (names.erase(usual) > 0)
      ordered.emplace_back(usual);
  ordered.insert(ordered.end(), names.begin(), names.end());
  return ordered;
}

/// Returns a channel of an arm's float64 twin: of the one that ran, or else of the golden's. The golden's
/// twin is valid for the arm if the arm's values are the golden's.
StepValues twin_values(const compare::ArmEvidence& arm, const std::string& name, const std::string& channel,
                       const golden::GoldenContent& golden) {
  const auto stored = golden.find(name);
  if (arm.twin || stored == golden.end() || !stored->second.twin)
    return step_values(arm.twin, channel);
  const auto run = stored->second.run.channels.find(channel);
  const auto twin = stored->second.twin->channels.find(channel);
  if (run == stored->second.run.channels.end() || twin == stored->second.twin->channels.end() ||
      values_by_step(run->second, stored->second.run.steps) != step_values(arm.trace, channel))
    return {};
  return values_by_step(twin->second, stored->second.twin->steps);
}

results::Curve curve_of(const Case& source, const Evidence& evidence, const golden::GoldenContent& golden,
                        const std::string& channel) {
  std::map<std::string, StepValues> values;
  std::set<int64_t> all_steps;
  StepValues floor;
  for (const Arm& arm : source.arms) {
    values[arm.name] = step_values(evidence.trace(arm.name), channel);
    for (const auto& [step, value] : values[arm.name])
      all_steps.insert(step);
    for (const auto& [step, noise] :
         gap_of(values[arm.name], twin_values(evidence.arms().at(arm.name), arm.name, channel, golden)))
      floor[step] = std::isnan(noise) ? noise : std::max(floor[step], noise);
  }
  const std::vector<int64_t> steps(all_steps.begin(), all_steps.end());
  results::Curve curve{.channel = channel, .steps = steps};
  if (!floor.empty())
    curve.floor = row(steps, floor);
  for (const Arm& arm : source.arms) {
    curve.series.push_back({arm.name, row(steps, values[arm.name])});
    if (arm.name != source.reference)
      curve.gap.push_back({arm.name, row(steps, gap_of(values[source.reference], values[arm.name]))});
  }
  return curve;
}

}  // namespace

std::vector<results::Curve> curves_of(const Case& source, const Evidence& evidence,
                                      const golden::GoldenContent& golden) {
  std::vector<results::Curve> curves;
  for (const std::string& name : channels_of(source, evidence)) {
    results::Curve curve = curve_of(source, evidence, golden, name);
    for (const Arm& arm : source.arms)
      if (const auto stored = golden.find(arm.name); stored != golden.end())
        if (const auto channel = stored->second.run.channels.find(name);
            channel != stored->second.run.channels.end())
          curve.golden.push_back(
              {arm.name, row(curve.steps, values_by_step(channel->second, stored->second.run.steps))});
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace parity::suite
