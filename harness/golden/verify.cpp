// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/glob.hpp"
#include "harness/compare/wording.hpp"
#include "harness/golden/environment.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity {
namespace {

GoldenResult failure(const std::string& arm, const std::string& quantity, Verdict verdict,
                     const std::string& sentence) {
  GoldenResult result{arm, quantity, {}};
  result.result.verdict = verdict;
  result.result.sentence = sentence;
  return result;
}

/// One arm of a run against one arm of a golden.
struct Sides {
  std::string name;
  const GoldenArm& golden;
  const ArmEvidence& run;
  const std::vector<Check>& claims;
  std::string environment;  ///< how it differs; "" if it is the golden's
  std::string config;       ///< likewise

  /// Whether a check against the golden judges this channel, or this tensor of a phase.
  bool claimed(const std::string& channel) const {
    return std::any_of(claims.begin(), claims.end(), [&](const Check& check) {
      return check.arms == std::vector{name} && !check.of_tensors() &&
             std::any_of(check.channels.begin(), check.channels.end(), [&](const std::string& pattern) {
               return pattern == channel || glob_match(pattern, channel);
             });
    });
  }
  bool claimed(const TensorKey& key) const {
    return std::any_of(claims.begin(), claims.end(), [&](const Check& check) {
      return check.arms == std::vector{name} && check.of_tensors() && check.phase == key.phase &&
             glob_match(check.tensor, key.name);
    });
  }
};

/// A channel of the golden beside the run's; nothing if the run lacks it or has other steps.
std::optional<SeriesPair> pair_of(const std::string& channel, const GoldenChannels& golden,
                                  const Trace& trace) {
  const auto stored = golden.channels.find(channel);
  const auto found = trace.channels().find(channel);
  if (stored == golden.channels.end() || found == trace.channels().end() || trace.steps() != golden.steps)
    return std::nullopt;
  return SeriesPair{channel, series_of(stored->second, golden.steps, golden.steps),
                    series_of(found->second, trace.steps(), trace.steps())};
}

BitsClaim claim_of(const Sides& sides, const std::string& quantity, const std::string& where) {
  return {"the golden", sides.name,
          fmt::format("{} of {} is the golden's, bit for bit, {}", quantity, sides.name, where),
          "differs from the golden's"};
}

GoldenResult verify_channel(const Sides& sides, const std::string& channel) {
  const Trace& trace = *sides.run.trace;
  const auto pair = pair_of(channel, sides.golden.run, trace);
  if (trace.steps() != sides.golden.run.steps)
    return failure(
        sides.name, channel, Verdict::missing,
        fmt::format("{} of {} has {}, the golden {}; run the case's own number of steps, or record the "
                    "golden again",
                    channel, sides.name, steps_text(trace.steps()), steps_text(sides.golden.run.steps)));
  if (!pair)
    return failure(
        sides.name, channel, Verdict::missing,
        fmt::format("{} of {} is {} (unmatched quantities fail); record the golden again if that is meant",
                    channel, sides.name,
                    sides.golden.run.channels.contains(channel) ? "in the golden but not in the run"
                                                                : "not in the golden"));
  GoldenResult verified{sides.name, channel, {}};
  CheckResult& result = verified.result;
  result = judge_series_bits({*pair}, claim_of(sides, channel, over_text(trace.steps())));
  if (!result.passed && !sides.environment.empty())
    judge_drift(result, *pair,
                sides.golden.twin && sides.run.twin ? pair_of(channel, *sides.golden.twin, *sides.run.twin)
                                                    : std::nullopt,
                sides.environment);
  return verified;
}

/// A tensor of this phase that a golden keeps and this one has not; null if there is none. The golden's own
/// steps count: a run may record more for its checks.
const SketchRow* unstored_row(const Sides& sides, Phase phase) {
  std::set<TensorKey> stored;
  std::set<int64_t> steps;
  for (const SketchRow& row : sides.golden.sketches)
    if (row.key.phase == phase) {
      stored.insert(row.key);
      steps.insert(row.key.step);
    }
  for (const SketchRow& row : sides.run.trace->sketches())
    if (row.key.phase == phase && steps.contains(row.key.step) && !stored.contains(row.key) &&
        !sides.claimed(row.key))
      return &row;
  return nullptr;
}

/// Digests of one phase. \param drifts  the arm's channels were seen to drift
GoldenResult verify_phase(const Sides& sides, Phase phase, bool drifts) {
  const std::string quantity(name_of(phase));
  const Trace& trace = *sides.run.trace;
  std::vector<SourcePair> pairs;
  for (const SketchRow& row : sides.golden.sketches) {
    if (row.key.phase != phase || sides.claimed(row.key))
      continue;
    const SketchRow* found = trace.find_sketch(row.key);
    if (!found)
      return failure(
          sides.name, quantity, Verdict::missing,
          fmt::format("{} {} at step {} is in the golden but {} did not record it; capture it, or record the "
                      "golden again",
                      quantity, row.key.name, row.key.step, sides.name));
    pairs.push_back({{row.key, &row, nullptr}, {row.key, found, nullptr}});
  }
  if (const SketchRow* extra = unstored_row(sides, phase))
    return failure(
        sides.name, quantity, Verdict::missing,
        fmt::format("{} {} at step {} of {} is not in the golden (unmatched quantities fail); record "
                    "the golden again if that is meant",
                    quantity, extra->key.name, extra->key.step, sides.name));
  GoldenResult verified{sides.name, quantity, {}};
  CheckResult& result = verified.result;
  result = judge_tensor_bits(pairs, claim_of(sides, quantity, fmt::format("in {} digests", pairs.size())));
  if (result.passed || sides.environment.empty())
    return verified;
  const bool near = std::all_of(pairs.begin(), pairs.end(), [](const SourcePair& pair) {
    const TensorGap gap = measure_tensor(pair.expected, pair.actual);
    return gap.identical || gap.relative_l2 <= largest_tensor_drift;
  });
  if (drifts && near) {
    result.passed = true;
    result.verdict = Verdict::drift;
  }
  result.sentence += fmt::format("; {} ({})",
                                 drifts && near ? "this is drift, as in the channels"
                                 : drifts       ? "more than drift: above " + size_text(largest_tensor_drift)
                                          : "the environment differs, but the channels do not show drift",
                                 sides.environment);
  result.limit = {{"relative_l2", largest_tensor_drift}};
  return verified;
}

void verify_arm(const Sides& sides, std::vector<GoldenResult>& results) {
  std::set<std::string> channels;
  for (const auto& [name, channel] : sides.golden.run.channels)
    channels.insert(name);
  for (const auto& [name, channel] : sides.run.trace->channels())
    if (channel.kind == ChannelKind::numeric)
      channels.insert(name);
  std::vector<GoldenResult> mine;
  mine.reserve(channels.size() + 2);
  for (const std::string& channel : channels)
    if (!sides.claimed(channel))
      mine.push_back(verify_channel(sides, channel));
  const bool all_pass =
      std::all_of(mine.begin(), mine.end(), [](const auto& each) { return each.result.passed; });
  const bool drifts = all_pass && std::any_of(mine.begin(), mine.end(), [](const auto& each) {
                        return each.result.verdict == Verdict::drift;
                      });
  for (const Phase phase : {Phase::grad, Phase::param})
    if (std::any_of(sides.golden.sketches.begin(), sides.golden.sketches.end(),
                    [&](const SketchRow& row) { return row.key.phase == phase && !sides.claimed(row.key); }))
      mine.push_back(verify_phase(sides, phase, drifts));
  for (GoldenResult& each : mine) {
    if (!each.result.passed && !sides.config.empty())
      each.result.sentence += "; the config is not the golden's: " + sides.config;
    results.push_back(std::move(each));
  }
}

std::vector<GoldenResult> verify(const Golden& golden, const std::map<std::string, ArmEvidence>& arms,
                                 const std::vector<Check>& claims) {
  std::vector<GoldenResult> results;
  std::set<std::string> names;
  for (const auto& [name, arm] : golden.arms)
    names.insert(name);
  for (const auto& [name, arm] : arms)
    names.insert(name);
  for (const std::string& name : names) {
    const auto stored = golden.arms.find(name);
    const auto run = arms.find(name);
    if (run == arms.end())
      results.push_back(
          failure(name, "arm", Verdict::missing,
                  "the golden keeps arm '" + name + "', which the case has not; record the golden again"));
    else if (stored == golden.arms.end())
      results.push_back(
          failure(name, "arm", Verdict::missing,
                  "the golden has no arm '" + name + "'; record it with 'parity golden record'"));
    else if (run->second.crashed || !run->second.trace)
      results.push_back(failure(name, "arm", Verdict::crashed,
                                name + " gave nothing to hold against its golden" +
                                    (run->second.failure.empty() ? "" : ": " + run->second.failure)));
    else {
      const Json environment = fingerprint_of(*run->second.trace);
      const GoldenArm& side = golden.side_for(name, environment);
      verify_arm({name, side, run->second, claims, json_difference_text(side.fingerprint, environment),
                  json_difference_text(side.config, run->second.trace->config())},
                 results);
    }
  }
  return results;
}

}  // namespace

std::vector<GoldenResult> verify_golden(const StoredGolden& stored,
                                        const std::map<std::string, ArmEvidence>& arms,
                                        const std::vector<Check>& claims) {
  if (!stored.golden)
    return {failure("", "content", Verdict::missing, stored.problem)};
  std::vector<GoldenResult> results;
  if (!stored.golden->intact())
    results.push_back(failure("", "content", Verdict::different, damage_text(*stored.golden, stored.file)));
  for (GoldenResult& each : verify(*stored.golden, arms, claims))
    results.push_back(std::move(each));
  return results;
}

bool agrees_with_golden(const Golden& golden, const std::string& name, const ArmEvidence& arm) {
  if (!golden.arms.contains(name) || arm.crashed || !arm.trace || !arm.trace->complete() ||
      !arm.trace->faults().empty())
    return false;
  size_t compared = 0;
  for (const GoldenResult& each : verify(golden, {{name, arm}}, {})) {
    if (each.arm != name)
      continue;
    if (!each.result.passed || each.result.verdict != Verdict::identical)
      return false;
    ++compared;
  }
  return compared > 0;
}

bool golden_needs_twins(const StoredGolden& stored, const std::map<std::string, ArmEvidence>& arms,
                        const std::vector<Check>& claims) {
  if (!stored.golden)
    return false;
  const Golden& golden = *stored.golden;
  for (const auto& [name, evidence] : arms) {
    const auto arm = golden.arms.find(name);
    if (arm == golden.arms.end() || !arm->second.twin || evidence.crashed || !evidence.trace ||
        arm->second.fingerprint == fingerprint_of(*evidence.trace))
      continue;
    ArmEvidence alone = evidence;
    alone.twin = nullptr;
    for (const GoldenResult& each : verify(golden, {{name, alone}}, claims))
      if (each.arm == name && each.result.verdict == Verdict::different)
        return true;
  }
  return false;
}

}  // namespace parity
