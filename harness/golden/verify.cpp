// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/compare/checks/settle.hpp"
#include "harness/compare/sides/asked.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/rounding_size.hpp"
#include "harness/golden/environment.hpp"
#include "harness/golden/golden_file.hpp"

namespace parity::golden {
namespace {

GoldenResult failure(const std::string& arm, const std::string& quantity, compare::Verdict verdict,
                     const std::string& sentence) {
  GoldenResult result{arm, quantity, {}};
  result.result.verdict = verdict;
  result.result.sentence = sentence;
  return result;
}

/// One arm of a run and the golden's arm that it is compared with.
struct Sides {
  std::string name;
  const GoldenArm& golden;
  const compare::ArmEvidence& run;
  const std::vector<compare::Check>& claims;
  std::string environment;  ///< how the environment differs; "" if it does not
  std::string config;       ///< how the config differs; "" if it does not
  bool sealed = true;       ///< whether a seal protects the golden's environment
  /// Rows of the run, at the steps at which the golden keeps tensors.
  std::vector<trace::SketchRow> rows = {};

  /// Returns the run's row of a tensor; null if it has none.
  const trace::SketchRow* find_row(const trace::TensorKey& key) const {
    const auto found = std::lower_bound(
        rows.begin(), rows.end(), key,
        [](const trace::SketchRow& row, const trace::TensorKey& wanted) { return row.key < wanted; });
    return found != rows.end() && found->key == key ? &*found : nullptr;
  }
  /// Returns whether any row of a phase, in the golden or in the run, is not left to a check against the
  /// golden.
  bool has_unclaimed(const std::vector<trace::SketchRow>& list, trace::Phase phase) const {
    return std::any_of(list.begin(), list.end(), [&](const trace::SketchRow& row) {
      return row.key.phase == phase && !claimed(row.key);
    });
  }

  /// Returns whether a check against the golden judges this channel, or this tensor of a phase.
  bool claimed(const std::string& channel) const {
    return std::any_of(claims.begin(), claims.end(), [&](const compare::Check& check) {
      return check.arms == std::vector{name} && !check.of_tensors() &&
             std::any_of(check.channels.begin(), check.channels.end(), [&](const std::string& pattern) {
               return pattern == channel || glob_match(pattern, channel);
             });
    });
  }
  bool claimed(const trace::TensorKey& key) const {
    return std::any_of(claims.begin(), claims.end(), [&](const compare::Check& check) {
      return check.arms == std::vector{name} && check.of_tensors() && check.phase == key.phase &&
             glob_match(check.tensor, key.name);
    });
  }
};

/// Returns a channel of the golden and of the run; nothing if the run lacks it or has other steps.
std::optional<compare::SeriesPair> pair_of(const std::string& channel, const GoldenChannels& golden,
                                           const trace::Trace& trace) {
  const auto stored = golden.channels.find(channel);
  const auto found = trace.channels().find(channel);
  if (stored == golden.channels.end() || found == trace.channels().end() || trace.steps() != golden.steps)
    return std::nullopt;
  return compare::SeriesPair{channel, compare::series_of(stored->second, golden.steps, golden.steps),
                             compare::series_of(found->second, trace.steps(), trace.steps())};
}

compare::BitsClaim claim_of(const Sides& sides, const std::string& quantity, const std::string& where) {
  return {"the golden", sides.name,
          fmt::format("{} of {} and the golden have the same bits {}", quantity, sides.name, where),
          "differs from the golden's"};
}

/// Settles what was compared with the golden. \param asked  what is asked of either side
compare::CheckResult settle_pair(compare::CheckResult result, const Sides& sides, compare::CoveredSide asked,
                                 bool of_tensors) {
  compare::CoveredSide golden = asked;
  golden.name = "the golden";
  asked.name = sides.name;
  asked.ranks_asked = sides.run.ranks;
  asked.ranks_found = compare::ranks_of(*sides.run.trace);
  result.coverage.kind = of_tensors ? compare::CoveredKind::tensors : compare::CoveredKind::channels;
  return settle(std::move(result), {golden, asked});
}

/// Returns the allowance of an arm; one that computes in 16 bits rounds as bfloat16 does.
compare::PrecisionAllowance allowance_of(const compare::ArmEvidence& arm) {
  compare::PrecisionAllowance allowance = arm.allowance;
  const DType own = arm.sixteen_bits ? DType::bfloat16 : DType::float32;
  allowance.dtype =
      wider_allowance(compare::rounding_model(own), compare::rounding_model(allowance.dtype)).dtype;
  return allowance;
}

GoldenResult verify_channel(const Sides& sides, const std::string& channel) {
  const trace::Trace& trace = *sides.run.trace;
  const auto pair = pair_of(channel, sides.golden.run, trace);
  if (trace.steps() != sides.golden.run.steps)
    return failure(
        sides.name, channel, compare::Verdict::missing,
        fmt::format("{} of {} has {}, but the golden has {}; run the steps of the case, or record the "
                    "golden again",
                    channel, sides.name, compare::steps_text(trace.steps()),
                    compare::steps_text(sides.golden.run.steps)));
  if (!pair)
    return failure(
        sides.name, channel, compare::Verdict::missing,
        fmt::format("{} of {} is {} (unmatched quantities fail); record the golden again if that is intended",
                    channel, sides.name,
                    sides.golden.run.channels.contains(channel) ? "in the golden but not in the run"
                                                                : "not in the golden"));
  GoldenResult verified{sides.name, channel, {}};
  compare::CheckResult& result = verified.result;
  compare::CoveredSide asked;
  asked.asked[channel] = asked.found[channel] = compare::StepSet(sides.golden.run.steps);
  result =
      settle_pair(judge_series_bits({*pair}, claim_of(sides, channel, compare::over_text(trace.steps()))),
                  sides, std::move(asked), false);
  if (!result.passed && !sides.environment.empty() && !sides.sealed)
    result.sentence += fmt::format(
        "; the environment differs ({}), but no seal protects the golden's, so drift is not judged; where "
        "its "
        "bits hold, add a seal with: parity run CASE --golden-mode update-all",
        sides.environment);
  else if (!result.passed && !sides.environment.empty())
    judge_drift(result, *pair,
                sides.golden.twin && sides.run.twin ? pair_of(channel, *sides.golden.twin, *sides.run.twin)
                                                    : std::nullopt,
                sides.environment, allowance_of(sides.run));
  return verified;
}

/// Returns the run's row of a tensor of this phase that the golden does not store; null if there is none.
const trace::SketchRow* unstored_row(const Sides& sides, trace::Phase phase) {
  std::set<trace::TensorKey> stored;
  for (const trace::SketchRow& row : sides.golden.sketches)
    stored.insert(row.key);
  for (const trace::SketchRow& row : sides.rows)
    if (row.key.phase == phase && !stored.contains(row.key) && !sides.claimed(row.key))
      return &row;
  return nullptr;
}

/// Returns why another environment does not explain the differences in these tensors; "" if it does.
/// \param drifts   whether the arm's channels were found to drift
/// \param largest  gap that still is rounding
std::string no_drift_text(const std::vector<compare::SourcePair>& pairs, bool drifts, double largest) {
  if (!drifts)
    return "the environment differs, but the channels do not show drift";
  for (const compare::SourcePair& pair : pairs) {
    const compare::TensorGap gap = measure_tensor(pair.expected, pair.actual);
    if (!gap.identical && !gap.dtypes.empty())
      return fmt::format("more than drift: {} is {}", compare::quantity_of(pair.expected.key), gap.dtypes);
    if (!gap.identical && !(gap.relative_l2 <= largest))
      return "more than drift: above " + compare::size_text(largest);
  }
  return "";
}

/// Compares the digests of one phase. \param drifts  whether the arm's channels were found to drift
GoldenResult verify_phase(const Sides& sides, trace::Phase phase, bool drifts) {
  const std::string quantity(name_of(phase));
  std::vector<compare::SourcePair> pairs;
  compare::CoveredSide asked;
  for (const trace::SketchRow& row : sides.golden.sketches) {
    if (row.key.phase != phase || sides.claimed(row.key))
      continue;
    asked.asked[compare::quantity_of(row.key)].add(row.key.step);
    const trace::SketchRow* found = sides.find_row(row.key);
    if (!found)
      return failure(
          sides.name, quantity, compare::Verdict::missing,
          fmt::format("{} {} at step {} is in the golden but {} did not record it; capture it, or record the "
                      "golden again",
                      quantity, row.key.name, row.key.step, sides.name));
    pairs.push_back({{row.key, &row, nullptr}, {row.key, found, nullptr}});
  }
  if (const trace::SketchRow* extra = unstored_row(sides, phase))
    return failure(
        sides.name, quantity, compare::Verdict::missing,
        fmt::format("{} {} at step {} of {} is not in the golden (unmatched quantities fail); record "
                    "the golden again if that is intended",
                    quantity, extra->key.name, extra->key.step, sides.name));
  GoldenResult verified{sides.name, quantity, {}};
  compare::CheckResult& result = verified.result;
  asked.found = asked.asked;
  result = settle_pair(
      judge_tensor_bits(pairs, claim_of(sides, quantity, fmt::format("in {} digests", pairs.size()))), sides,
      std::move(asked), true);
  if (result.passed || sides.environment.empty())
    return verified;
  const double largest = largest_tensor_drift(allowance_of(sides.run).dtype == DType::bfloat16);
  const std::string problem = no_drift_text(pairs, drifts, largest);
  if (problem.empty()) {
    result.passed = true;
    result.verdict = compare::Verdict::drift;
  }
  result.sentence += fmt::format("; {} ({})", problem.empty() ? "this is drift, as in the channels" : problem,
                                 sides.environment);
  result.limit = {{"relative_l2", largest}};
  return verified;
}

void verify_arm(const Sides& sides, std::vector<GoldenResult>& results) {
  std::set<std::string> channels;
  for (const auto& [name, channel] : sides.golden.run.channels)
    channels.insert(name);
  for (const auto& [name, channel] : sides.run.trace->channels())
    if (channel.kind == trace::ChannelKind::numeric)
      channels.insert(name);
  std::vector<GoldenResult> mine;
  mine.reserve(channels.size() + 2);
  for (const std::string& channel : channels)
    if (!sides.claimed(channel))
      mine.push_back(verify_channel(sides, channel));
  const bool all_pass =
      std::all_of(mine.begin(), mine.end(), [](const auto& each) { return each.result.passed; });
  const bool drifts = all_pass && std::any_of(mine.begin(), mine.end(), [](const auto& each) {
                        return each.result.verdict == compare::Verdict::drift;
                      });
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
    if (sides.has_unclaimed(sides.golden.sketches, phase) || sides.has_unclaimed(sides.rows, phase))
      mine.push_back(verify_phase(sides, phase, drifts));
  const bool has_claims =
      std::any_of(sides.claims.begin(), sides.claims.end(),
                  [&](const compare::Check& check) { return check.arms == std::vector{sides.name}; });
  if (mine.empty() && !has_claims)
    mine.push_back(failure(sides.name, "arm", compare::Verdict::missing,
                           "neither " + sides.name + " nor its golden has a value to compare"));
  for (GoldenResult& each : mine) {
    if (!each.result.passed && !sides.config.empty())
      each.result.sentence += "; the config is not the golden's: " + sides.config;
    results.push_back(std::move(each));
  }
}

std::vector<GoldenResult> verify(const Golden& golden,
                                 const std::map<std::string, compare::ArmEvidence>& arms,
                                 const std::vector<compare::Check>& claims) {
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
          failure(name, "arm", compare::Verdict::missing,
                  "the golden has arm '" + name + "', but the case does not; record the golden again"));
    else if (stored == golden.arms.end())
      results.push_back(
          failure(name, "arm", compare::Verdict::missing,
                  "the golden has no arm '" + name + "'; record it with 'parity golden record'"));
    else if (!run->second.ended_well())
      results.push_back(failure(name, "arm", compare::Verdict::crashed,
                                name + " has nothing to compare with its golden" +
                                    (run->second.failure.empty() ? "" : ": " + run->second.failure)));
    else {
      const Json environment = fingerprint_of(*run->second.trace);
      const GoldenArm& side = golden.side_for(name, environment);
      GoldenArm now;
      keep_config(now, run->second);
      verify_arm({name, side, run->second, claims, json_difference_text(side.fingerprint, environment),
                  config_difference_text(side, now), golden.sealed,
                  kept_rows(*run->second.trace, steps_with_tensors(side))},
                 results);
    }
  }
  return results;
}

/// Returns a failure for a golden that is not trusted, and where the runs differ from what a damaged file
/// holds.
std::vector<GoldenResult> without_golden(const StoredGolden& stored,
                                         const std::map<std::string, compare::ArmEvidence>& arms,
                                         const std::vector<compare::Check>& claims) {
  if (!stored.damaged)
    return {failure("", "content", compare::Verdict::missing, stored.problem)};
  std::vector<GoldenResult> results = {failure("", "content", compare::Verdict::different, stored.problem)};
  for (GoldenResult& each : verify(*stored.damaged, arms, claims))
    if (!each.result.passed)
      results.push_back(std::move(each));
  return results;
}

}  // namespace

std::vector<GoldenResult> verify_golden(const StoredGolden& stored,
                                        const std::map<std::string, compare::ArmEvidence>& arms,
                                        const std::vector<compare::Check>& claims) {
  if (!stored.golden)
    return without_golden(stored, arms, claims);
  return verify(*stored.golden, arms, claims);
}

bool agrees_with_golden(const Golden& golden, const std::string& name, const compare::ArmEvidence& arm) {
  if (!golden.arms.contains(name) || !arm.ended_well() || !arm.trace->faults().empty())
    return false;
  size_t compared = 0;
  for (const GoldenResult& each : verify(golden, {{name, arm}}, {})) {
    if (each.arm != name)
      continue;
    if (!each.result.passed || each.result.verdict != compare::Verdict::identical)
      return false;
    ++compared;
  }
  return compared > 0;
}

bool golden_needs_twins(const StoredGolden& stored, const std::map<std::string, compare::ArmEvidence>& arms,
                        const std::vector<compare::Check>& claims) {
  if (!stored.golden)
    return false;
  const Golden& golden = *stored.golden;
  if (!golden.sealed)
    return false;
  for (const auto& [name, evidence] : arms) {
    const auto arm = golden.arms.find(name);
    if (arm == golden.arms.end() || !arm->second.twin || !evidence.ended_well() ||
        arm->second.fingerprint == fingerprint_of(*evidence.trace))
      continue;
    compare::ArmEvidence alone = evidence;
    alone.twin = nullptr;
    for (const GoldenResult& each : verify(golden, {{name, alone}}, claims))
      if (each.arm == name && each.result.verdict == compare::Verdict::different)
        return true;
  }
  return false;
}

}  // namespace parity::golden
