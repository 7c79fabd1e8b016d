// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare/pages/logs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "harness/cli/compare/pages/parts.hpp"
#include "harness/cli/compare/sides.hpp"
#include "harness/compare/curves/course.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/logs/channel_names.hpp"
#include "harness/logs/compare/shape.hpp"

namespace parity::cli {
namespace {

using logs::CurveDifference;
using reports::Value;

reports::ComparedSide log_side(const ReadLog& side, const std::string& label) {
  const std::vector<int64_t> steps = side.log.steps();
  const std::string range =
      steps.empty() ? "none" : fmt::format("{}, from {} to {}", steps.size(), steps.front(), steps.back());
  return {label, facts_of_file(side.log.file, side.log.format,
                               {{"steps", range}, {"channels", std::to_string(side.log.channels.size())}},
                               side.file)};
}

/// Returns how a channel differs, a sentence each.
std::vector<std::string> log_words(const CurveDifference& row, const std::string& subject) {
  const std::optional<logs::Shape> shape = shape_of(row);
  if (!shape)
    return {};
  const size_t i = *row.difference.first;
  std::vector<std::string> words = {fmt::format("{}irst at step {}: {} against {}; {}.",
                                                subject.empty() ? "F" : subject + ": f", shape->step,
                                                row.expected.text(i), row.actual.text(i), shape->text())};
  if (!shape->looks.empty())
    words.push_back((subject.empty() ? "Looks like: " : subject + " looks like: ") + shape->looks + ".");
  return words;
}

reports::ComparedRow log_row(const CurveDifference& row, const std::string& side, bool strict) {
  const compare::SeriesDifference& d = row.difference;
  return {side,
          d.identical(),
          row.verdict(strict),
          {std::to_string(d.count), d.first ? std::to_string(row.expected.steps.at(*d.first)) : "-",
           compare::ulp_text(d.max_ulp), compare::size_text(d.relative_l2)}};
}

/// Returns the largest gap of the seeds to a log at each of its steps, for one channel.
std::map<int64_t, double> seed_gaps(const logs::Log& first, const std::vector<logs::Log>& seeds,
                                    const std::string& channel) {
  std::map<int64_t, double> gaps, values;
  const auto own = first.channels.find(channel);
  if (own == first.channels.end())
    return {};
  for (size_t i = 0; i < own->second.steps.size(); ++i)
    values[own->second.steps[i]] = own->second.values[i];
  for (const logs::Log& seed : seeds) {
    const auto found = seed.channels.find(channel);
    for (size_t i = 0; found != seed.channels.end() && i < found->second.steps.size(); ++i)
      if (const auto value = values.find(found->second.steps[i]); value != values.end()) {
        const double gap = std::abs(found->second.values[i] - value->second);
        double& most = gaps[value->first];
        most = std::isnan(gap) ? most : std::max(most, gap);
      }
  }
  return gaps;
}

/// Returns the noise of a channel at each step; empty for a channel that follows from the settings alone.
std::function<Value(int64_t)> noise_of(const CurveDifference& row, const logs::Log& first,
                                       const std::vector<logs::Log>& seeds) {
  if (!logs::is_training_result(row.name))
    return {};
  if (!seeds.empty())
    return [gaps = seed_gaps(first, seeds, row.name)](int64_t step) -> Value {
      const auto found = gaps.find(step);
      return found == gaps.end() ? std::nullopt : Value(found->second);
    };
  return [noise = compare::step_noise(row.expected)](int64_t) -> Value { return noise; };
}

const CurveDifference* find_row(const logs::LogDifference& difference, const std::string& name) {
  const auto found = std::ranges::find(difference.channels, name, &CurveDifference::name);
  return found == difference.channels.end() ? nullptr : &*found;
}

reports::ComparedChannel log_channel(const std::string& name, const std::vector<reports::ComparedSide>& sides,
                                     const std::vector<logs::LogDifference>& pairs, const logs::Log& first,
                                     const std::vector<logs::Log>& seeds) {
  reports::ComparedChannel channel;
  channel.name = name;
  std::vector<OverlayPart> parts;
  const CurveDifference* differing = nullptr;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const CurveDifference* row = find_row(pairs[i], name);
    if (row == nullptr)
      continue;
    const std::string& label = sides[i + 1].label;
    channel.rows.push_back(log_row(*row, label, pairs[i].filter.policy.strict()));
    std::ranges::move(log_words(*row, pairs.size() > 1 ? label : ""), std::back_inserter(channel.words));
    parts.push_back({label, row->expected, row->actual});
    differing = differing == nullptr && !row->difference.identical() ? row : differing;
  }
  channel.curve = overlay(name, sides.front().label, parts,
                          differing ? noise_of(*differing, first, seeds) : std::function<Value(int64_t)>());
  return channel;
}

/// Returns the channels of all pairs, each once.
std::vector<std::string> channel_names(const std::vector<logs::LogDifference>& pairs) {
  std::vector<std::string> names;
  for (const logs::LogDifference& pair : pairs)
    for (const CurveDifference& row : pair.channels)
      if (std::ranges::find(names, row.name) == names.end())
        names.push_back(row.name);
  return names;
}

}  // namespace

reports::Comparison comparison_of_logs(const std::vector<ReadLog>& sides,
                                       const std::vector<logs::LogDifference>& pairs,
                                       const std::vector<logs::Log>& seeds) {
  reports::Comparison comparison;
  std::vector<std::string> names;
  for (const ReadLog& side : sides)
    names.push_back(side.log.file);
  const std::vector<std::string> labels = unique_labels(names);
  for (size_t i = 0; i < sides.size(); ++i)
    comparison.sides.push_back(log_side(sides[i], labels[i]));
  comparison.heads = {"steps", "first step", "max ULP", "relative L2"};
  for (const std::string& name : channel_names(pairs))
    comparison.channels.push_back(log_channel(name, comparison.sides, pairs, sides.front().log, seeds));
  if (std::ranges::any_of(comparison.channels,
                          [](const auto& channel) { return !channel.curve.curve.floor.empty(); }))
    comparison.band =
        seeds.empty() ? "the noise of the first curve from step to step" : "the largest gap of other seeds";
  for (size_t i = 0; i < pairs.size(); ++i)
    for (const std::string& note : pairs[i].notes)
      comparison.notes.push_back(pairs.size() > 1 ? labels[i + 1] + ": " + note : note);
  return comparison;
}

}  // namespace parity::cli
