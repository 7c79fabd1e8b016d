// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/first_step.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/bisect/traces/tensor_path.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

std::vector<int64_t> shared_steps(const ChannelSide& a, const ChannelSide& b) {
  std::vector<int64_t> both;
  std::ranges::set_intersection(a.steps, b.steps, std::back_inserter(both));
  return both;
}

bool agrees(const compare::Series& a, const compare::Series& b, size_t i, double beyond) {
  if (same_bits(a, i, b, i))
    return true;
  return beyond > 0 && !a.integral() && !b.integral() &&
         std::abs(a.widened(i) - b.widened(i)) <= beyond * std::abs(a.widened(i));
}

}  // namespace

std::optional<ChannelStation> first_difference(const std::string& name, const ChannelSide& expected,
                                               const ChannelSide& actual, double beyond) {
  const auto one = expected.channels.find(name), other = actual.channels.find(name);
  if (one == expected.channels.end() || other == actual.channels.end() ||
      one->second.kind == trace::ChannelKind::timing || other->second.kind == trace::ChannelKind::timing)
    return std::nullopt;
  const std::vector<int64_t> steps = shared_steps(expected, actual);
  const compare::Series a = compare::series_of(one->second, expected.steps, steps);
  const compare::Series b = compare::series_of(other->second, actual.steps, steps);
  for (size_t i = 0; i < steps.size(); ++i)
    if (!agrees(a, b, i, beyond)) {
      const bool as_float32 = a.float32_valued() && b.float32_valued();
      return ChannelStation{steps[i], name, a.text(i, as_float32), b.text(i, as_float32)};
    }
  return std::nullopt;
}

const ChannelStation& channel_to_name(const std::vector<ChannelStation>& first) {
  for (const char* name : {"batch_digest", "position_digest", "mask_digest", "valid_tokens", "lr",
                           "weight_decay", "routing_digest", "loss", "grad_norm"})
    if (const auto found = std::ranges::find(first, name, &ChannelStation::channel); found != first.end())
      return *found;
  return first.front();
}

std::string describe_others(const std::vector<ChannelStation>& first, const ChannelStation& named) {
  std::vector<std::string> others;
  for (const ChannelStation& station : first)
    if (station.channel != named.channel)
      others.push_back(station.channel);
  return others.empty() ? "" : fmt::format("; also {}", fmt::join(others, ", "));
}

std::vector<ChannelStation> first_channels(const trace::Trace& expected, const trace::Trace& actual,
                                           double beyond) {
  std::vector<ChannelStation> first;
  const auto is_of_communication = [](const std::string& name) { return name.starts_with("comm."); };
  for (const auto& [name, channel] : expected.channels()) {
    const auto station = first_difference(name, expected, actual, beyond);
    if (!station || (beyond > 0 && is_of_communication(name)))
      continue;
    if (!first.empty() && station->step < first.front().step)
      first.clear();
    if (first.empty() || station->step == first.front().step)
      first.push_back(*station);
  }
  return first;
}

std::string SplitChannel::text(const std::string& expected, const std::string& actual) const {
  return fmt::format("{} of rank {} of {} is {} at step {}, that of rank {} is {}", channel, rank,
                     of_expected ? expected : actual, compare::number_text(value), step, other,
                     compare::number_text(other_value));
}

std::optional<SplitChannel> first_split_channel(const trace::Trace& expected, const trace::Trace& actual) {
  std::optional<SplitChannel> first;
  for (const bool of_expected : {false, true}) {
    const auto& own = (of_expected ? expected : actual).replica_differences();
    const auto& others = (of_expected ? actual : expected).replica_differences();
    for (const trace::ReplicaDifference& each : own) {
      const bool is_shared = std::ranges::any_of(others, [&](const trace::ReplicaDifference& other) {
        return !other.phase && other.name == each.name && other.step == each.step;
      });
      if (!each.phase && !is_shared && (!first || each.step < first->step))
        first = SplitChannel{each.step,
                             each.name,
                             of_expected,
                             each.other,
                             each.rank,
                             each.other_value.value_or(NAN),
                             each.value.value_or(NAN)};
    }
  }
  return first;
}

std::optional<int64_t> first_step_of(const trace::Trace& expected, const trace::Trace& actual,
                                     trace::Phase phase, double beyond) {
  std::vector<int64_t> steps = {0};
  steps.insert(steps.end(), expected.steps().begin(), expected.steps().end());
  for (const int64_t step : steps) {
    const TensorPath path = compare_path(expected, actual, step);
    if (std::ranges::any_of(path.stations, [&](const TensorStation& station) {
          return station.differs_beyond(beyond) && station.key.phase == phase;
        }))
      return step;
  }
  return std::nullopt;
}

std::vector<std::string> lone_channels(const trace::Trace& expected, const trace::Trace& actual) {
  std::vector<std::string> lone;
  const auto look = [&lone](const trace::Trace& one, const trace::Trace& other) {
    for (const auto& [name, channel] : one.channels())
      if (channel.kind != trace::ChannelKind::timing && !other.channels().contains(name))
        lone.push_back(name);
  };
  look(expected, actual);
  look(actual, expected);
  return lone;
}

}  // namespace parity::bisect
