// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/run_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::bisect {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
using Value = std::variant<std::monostate, double, int64_t>;

Value value_at(const RunCurves& run, const std::string& name, size_t place) {
  const auto found = run.channels.find(name);
  if (found == run.channels.end())
    return std::monostate();
  return std::visit(
      [&](const auto& values) { return place < values.size() ? Value(values[place]) : Value(); },
      found->second.values);
}

double gap_of(const Value& a, const Value& b, double size) {
  const double* x = std::get_if<double>(&a);
  const double* y = std::get_if<double>(&b);
  if (!x || !y)
    return a == b ? 0 : 1;
  if (*x == *y || (std::isnan(*x) && std::isnan(*y)))
    return 0;
  const double gap = std::abs(*x - *y) / size;
  return std::isnan(gap) ? infinite : gap;
}

std::optional<size_t> place_in_curve(const RunCurves& run, int64_t step) {
  const auto found = std::ranges::find(run.steps, step);
  if (found == run.steps.end())
    return std::nullopt;
  return static_cast<size_t>(found - run.steps.begin());
}

/// Returns the largest finite |value| of a channel; 1 if all are 0.
double channel_size(const RunCurves& a, const RunCurves& b, const std::string& name) {
  double size = 0;
  for (const RunCurves* run : {&a, &b})
    if (const auto found = run->channels.find(name); found != run->channels.end())
      for (const double value : found->second.as_double())
        if (std::isfinite(value))
          size = std::max(size, std::abs(value));
  return size > 0 ? size : 1;
}

bool has_numbers(const RunCurves& run, const std::string& name) {
  const auto found = run.channels.find(name);
  return found != run.channels.end() && std::holds_alternative<std::vector<double>>(found->second.values);
}

}  // namespace

RunCurves curves_of(const trace::Trace& trace) {
  RunCurves curves;
  curves.steps = trace.steps();
  const Json& provenance = trace.provenance();
  if (provenance.is_object() && provenance.contains("fingerprint") && provenance["fingerprint"].is_object())
    curves.first_weights = text_or(provenance["fingerprint"], "initial_weights");
  for (const auto& [name, channel] : trace.channels())
    if (channel.kind != trace::ChannelKind::timing)
      curves.channels.emplace(name, channel);
  return curves;
}

std::string CurveGap::text() const {
  return fmt::format("{} at step {}, relative gap {}", channel, step, compare::size_text(size));
}

std::vector<std::string> channels_of_interest(const RunCurves& a, const RunCurves& b,
                                              const std::vector<std::string>& patterns) {
  std::set<std::string> all;
  for (const RunCurves* run : {&a, &b})
    for (const auto& [name, channel] : run->channels)
      all.insert(name);
  std::vector<std::string> wanted;
  if (patterns.empty()) {
    std::ranges::copy_if(all, std::back_inserter(wanted),
                         [&](const auto& name) { return has_numbers(a, name) || has_numbers(b, name); });
    return wanted.empty() ? std::vector<std::string>(all.begin(), all.end()) : wanted;
  }
  std::ranges::copy_if(all, std::back_inserter(wanted), [&](const std::string& name) {
    return std::ranges::any_of(patterns, [&](const auto& pattern) { return glob_match(pattern, name); });
  });
  return wanted;
}

CurveRuler::CurveRuler(const RunCurves& good, const RunCurves& bad, std::vector<std::string> channels)
    : channels_(std::move(channels)) {
  for (const std::string& name : channels_)
    sizes_.push_back(channel_size(good, bad, name));
  std::ranges::copy_if(good.steps, std::back_inserter(steps_),
                       [&](int64_t step) { return place_in_curve(bad, step).has_value(); });
}

double CurveRuler::gap_at(const RunCurves& a, const RunCurves& b, int64_t step, size_t channel) const {
  const auto x = place_in_curve(a, step), y = place_in_curve(b, step);
  if (!x || !y)
    return infinite;
  return gap_of(value_at(a, channels_[channel], *x), value_at(b, channels_[channel], *y), sizes_[channel]);
}

CurveGap CurveRuler::at_step(const RunCurves& a, const RunCurves& b, int64_t step) const {
  CurveGap most{0, "", step};
  for (size_t i = 0; i < channels_.size(); ++i)
    if (const double gap = gap_at(a, b, step, i); gap > most.size)
      most = {gap, channels_[i], step};
  return most;
}

CurveGap CurveRuler::farthest(const RunCurves& a, const RunCurves& b, int64_t last_step) const {
  CurveGap most;
  for (const int64_t step : steps_)
    if (step <= last_step)
      if (const CurveGap gap = at_step(a, b, step); gap.size > most.size)
        most = gap;
  return most;
}

CurveGap CurveRuler::first(const RunCurves& a, const RunCurves& b, double limit) const {
  for (const int64_t step : steps_) {
    CurveGap gap = at_step(a, b, step);
    if (!(gap.size > limit))
      continue;
    for (size_t i = 0; i < channels_.size(); ++i)
      if (gap_at(a, b, step, i) > limit)
        gap.channels.push_back(channels_[i]);
    return gap;
  }
  return {};
}

}  // namespace parity::bisect
