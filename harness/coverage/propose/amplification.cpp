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
constexpr uint64_t draws = 3;  // of perturbed weights, in each dtype

/// Returns the values of a channel; none if the trace has no such channel.
std::vector<double> channel_values(const trace::Trace& trace, const std::string& channel) {
  const auto found = trace.channels().find(channel);
  return found == trace.channels().end() ? std::vector<double>() : found->second.as_double();
}

/// Returns |b - a| / |a|; 0 if the values are equal, infinite if only `a` is 0 or a value is not finite.
double relative_distance(double a, double b) {
  if (a == b)
    return 0;
  const double distance = std::abs(b - a) / std::abs(a);
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

/// Returns a variant of the plain arm whose weights are moved by one rounding.
suite::ExtraArm perturbed_plain(bool is_float64, uint64_t draw) {
  suite::ExtraArm arm{.of = origin_arm,
                      .suffix = fmt::format("{}perturbed{}", is_float64 ? "float64." : "", draw)};
  if (is_float64)
    arm.config["dtype"] = "float64";
  arm.faults = {suite::perturbed_weights(is_float64 ? 0x1p-52 : 0x1p-23, draw)};
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
    own_ = {origin.trace, {origin.twin}, 0x1p-24};  // the twin is a run without float32's rounding
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
             return is_within(own_, *arm.trace, channel) && is_within(twins_, *arm.twin, channel);
           });
  }

 private:
  const suite::Evidence& evidence_;
  PerturbedRuns own_, twins_;
};

}  // namespace

bool is_within(const PerturbedRuns& perturbed, const trace::Trace& arm, const std::string& channel) {
  constexpr double times = 8;  // as a bound (METRICS.md M6: 3 to 10)
  constexpr double chaos =
      0.1;  // from here on the perturbed runs are other trainings, and nothing is comparable
  if (!perturbed.origin || std::ranges::count(perturbed.runs, nullptr) > 0)
    return false;
  const std::vector<double> expected = channel_values(*perturbed.origin, channel);
  const std::vector<double> actual = channel_values(arm, channel);
  if (expected.empty() || actual.size() != expected.size())
    return false;
  std::vector<std::vector<double>> others;
  for (const trace::Trace* run : perturbed.runs)
    if (others.emplace_back(channel_values(*run, channel)).size() != expected.size())
      return false;
  double farthest = perturbed.roundoff;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (const std::vector<double>& other : others)
      farthest = std::max(farthest, relative_distance(expected[i], other[i]));
    if (!std::isfinite(expected[i]) || !std::isfinite(actual[i]))
      return false;
    if (relative_distance(expected[i], actual[i]) > times * farthest)
      return farthest >= chaos;
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
