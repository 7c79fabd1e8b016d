// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/amplification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/compare/checks/check.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/derived/noise_arms.hpp"

namespace parity::coverage {
namespace {

constexpr const char* origin_arm = "plain";
constexpr uint64_t draws = 3;  // of perturbed runs, in each dtype
constexpr double margin = 8;   // as a bound (METRICS.md M6: 3 to 10)
constexpr double chaos = 0.01;

/// Returns the values of a channel; none if the trace has no such channel.
std::vector<double> channel_values(const trace::Trace& trace, const std::string& channel) {
  const auto found = trace.channels().find(channel);
  return found == trace.channels().end() ? std::vector<double>() : found->second.as_double();
}

/// Returns |b - a| / scale; 0 if the values are equal, infinite if a value is not finite or the scale is 0.
double relative_distance(double a, double b, double scale) {
  if (a == b)
    return 0;
  const double distance = std::abs(b - a) / scale;
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

/// Returns a variant of the plain arm whose weights, results and gradients move by some roundings, as those
/// of another order of sums do.
suite::ExtraArm perturbed_plain(bool is_float64, uint64_t draw) {
  suite::ExtraArm arm{.of = origin_arm,
                      .suffix = fmt::format("{}perturbed{}", is_float64 ? "float64." : "", draw)};
  if (is_float64)
    arm.config["dtype"] = "float64";
  trace::Fault perturb = suite::perturbed_weights(8 * (is_float64 ? 0x1p-52 : 0x1p-23), draw);
  arm.faults = {perturb};
  perturb.steps.clear();
  perturb.name = "*";
  for (const trace::Phase phase : {trace::Phase::forward, trace::Phase::backward, trace::Phase::grad}) {
    perturb.phase = phase;
    arm.faults.push_back(perturb);
  }
  return arm;
}

/// Returns the channels that `equivalent` checks ask of an arm and the plain arm.
std::vector<std::string> equivalent_channels(const suite::Case& source, const std::string& arm) {
  std::vector<std::string> channels;
  for (const compare::Check& check : source.checks)
    if (check.relation == compare::Relation::equivalent && !check.arms.empty() && check.arms.back() == arm)
      channels.insert(channels.end(), check.channels.begin(), check.channels.end());
  return channels;
}

/// The evidence of one case with its perturbed runs.
class Witness {
 public:
  explicit Witness(const suite::Evidence& evidence) : evidence_(evidence) {
    const compare::ArmEvidence& origin = evidence.arms().at(origin_arm);
    own_ = {origin.trace, {}, 0x1p-24};
    twins_ = {origin.twin, {}, 0x1p-53};
    for (uint64_t draw = 1; draw <= draws; ++draw) {
      own_.runs.push_back(evidence.trace(perturbed_plain(false, draw).name()));
      twins_.runs.push_back(evidence.trace(perturbed_plain(true, draw).name()));
    }
  }

  bool explains(const std::string& name, const std::vector<std::string>& channels) const {
    const compare::ArmEvidence& arm = evidence_.arms().at(name);
    return arm.trace && arm.twin && !channels.empty() &&
           std::ranges::all_of(channels, [&](const std::string& channel) {
             const auto own = distances(own_, *arm.trace, channel);
             const auto in_float64 = distances(twins_, *arm.twin, channel);
             return own && in_float64 && is_rounding(*own, *in_float64);
           });
  }

 private:
  const suite::Evidence& evidence_;
  PerturbedRuns own_, twins_;
};

}  // namespace

std::optional<std::vector<Distance>> distances(const PerturbedRuns& perturbed, const trace::Trace& arm,
                                               const std::string& channel) {
  if (!perturbed.origin || std::ranges::count(perturbed.runs, nullptr) > 0)
    return std::nullopt;
  const std::vector<double> expected = channel_values(*perturbed.origin, channel);
  const std::vector<double> actual = channel_values(arm, channel);
  if (expected.empty() || actual.size() != expected.size())
    return std::nullopt;
  std::vector<std::vector<double>> others;
  for (const trace::Trace* run : perturbed.runs)
    if (others.emplace_back(channel_values(*run, channel)).size() != expected.size())
      return std::nullopt;
  double scale = 0;  // of the whole channel: a policy's loss may cancel at one update
  for (const double value : expected)
    scale = std::max(scale, std::abs(value));
  std::vector<Distance> list;
  double farthest = perturbed.roundoff;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i]) || !std::isfinite(actual[i]))
      return std::nullopt;
    for (const std::vector<double>& other : others)
      farthest = std::max(farthest, relative_distance(expected[i], other[i], scale));
    list.push_back({relative_distance(expected[i], actual[i], scale), farthest});
  }
  return list;
}

bool is_rounding(const std::vector<Distance>& own, const std::vector<Distance>& in_float64) {
  constexpr double narrower = 0x1p-29;  // float64's roundoff over that of float32
  if (own.empty() || own.size() != in_float64.size() || own.front().perturbed >= chaos ||
      in_float64.front().perturbed >= chaos)
    return false;
  double most = 0, most_in_float64 = 0;  // of the arm, while the perturbed runs are comparable
  for (size_t i = 0; i < own.size() && in_float64[i].perturbed < chaos; ++i) {
    most_in_float64 = std::max(most_in_float64, in_float64[i].arm);
    if (own[i].perturbed < chaos) {
      most = std::max(most, own[i].arm);
      if (own[i].arm > margin * std::max(own[i].perturbed, most_in_float64 / narrower))
        return false;
    }
    if (in_float64[i].arm > margin * std::max(in_float64[i].perturbed, narrower * most))
      return false;
  }
  return true;
}

bool explains_by_amplification(const suite::Case& source, const std::vector<std::string>& arms,
                               const suite::RunSettings& settings, Progress& progress) {
  std::vector<suite::ExtraArm> extra;
  for (uint64_t draw = 1; draw <= draws; ++draw) {
    extra.push_back(perturbed_plain(false, draw));
    extra.push_back(perturbed_plain(true, draw));
  }
  const suite::ArmRuns runs = run_arms(with_extra_arms(source, extra), settings, progress);
  const Witness witness(runs.evidence);
  return !arms.empty() && std::ranges::all_of(arms, [&](const std::string& arm) {
    return witness.explains(arm, equivalent_channels(source, arm));
  });
}

}  // namespace parity::coverage
