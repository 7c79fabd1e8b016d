// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/gap.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/bisect/runs/rounding.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/golden/environment.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity::bisect {
namespace {

constexpr const char* weights_key = "initial_weights";

/// Returns only this key of the facts, or all other keys.
Json with_key(Json facts, const char* key, bool kept) {
  if (!kept) {
    facts.erase(key);
    return facts;
  }
  return facts.contains(key) ? Json{{key, facts.at(key)}} : Json::object();
}

/// Returns the differences between two environments; none if either is unknown.
GoldenFacts environment_between(const Json& stored, const Json& now, bool of_weights) {
  const Json a = with_key(stored, weights_key, of_weights), b = with_key(now, weights_key, of_weights);
  return a.empty() || b.empty() ? GoldenFacts() : facts_between(a, b);
}

class GapMeasure {
 public:
  GapMeasure(const GoldenRuns& runs, const golden::StoredGolden& golden, const std::string& arm,
             const suite::FlatConfig& defaults)
      : evidence_(runs.arms.at(arm)),
        now_(*evidence_.trace),
        stored_(golden.golden->side_for(arm, golden::fingerprint_of(now_))),
        main_(golden.golden->arms.at(arm)) {
    gap_.arm = arm;
    gap_.last_step = now_.last_step();
    gap_.config = config_facts(stored_.config, now_.config(), defaults);
    const Json environment = golden::fingerprint_of(now_);
    gap_.environment = environment_between(stored_.fingerprint, environment, false);
    gap_.first_weights = environment_between(stored_.fingerprint, environment, true);
    if (evidence_.crashed) {
      gap_.failure = evidence_.failure.empty() ? "it ended early" : evidence_.failure;
      for (const auto& [name, channel] : stored_.run.channels)
        suspects_.insert(name);
      phases_ = {trace::Phase::grad, trace::Phase::param};
      return;
    }
    std::vector<compare::Check> claims = claims_on_golden(runs.source);
    std::erase_if(claims, [&](const compare::Check& check) { return check.arms.front() != arm; });
    judge_stored(golden, claims);
    for (const compare::Check& claim : claims)
      judge_claim(golden, claim);
  }

  GoldenGap measure() {
    find_first_step();
    find_rows();
    find_tensors();
    return std::move(gap_);
  }

 private:
  void judge_stored(const golden::StoredGolden& golden, const std::vector<compare::Check>& claims) {
    for (const golden::GoldenResult& found : verify_golden(golden, {{gap_.arm, evidence_}}, claims)) {
      if (found.arm != gap_.arm)
        continue;
      if (found.result.verdict == compare::Verdict::drift)
        gap_.drifts = true;
      if (found.result.passed)
        continue;
      if (found.result.verdict == compare::Verdict::missing)
        gap_.unmatched.push_back(found.result.sentence);
      if (const auto phase = phase_of(found.quantity))
        phases_.insert(*phase);
      else
        suspects_.insert(found.quantity);
    }
  }

  static std::optional<trace::Phase> phase_of(const std::string& quantity) {
    for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
      if (quantity == name_of(phase))
        return phase;
    return std::nullopt;
  }

  /// Judges a quantity that a check bounds. It differs from the first step beyond its bound.
  void judge_claim(const golden::StoredGolden& golden, const compare::Check& claim) {
    const compare::CheckResult result = judge_against_golden(claim, golden, evidence_);
    if (result.passed) {
      held_.push_back(claim);
      return;
    }
    if (claim.of_tensors())
      phases_.insert(claim.phase);
    if (result.verdict == compare::Verdict::missing)
      gap_.unmatched.push_back(result.sentence);
    for (const results::MeasuredBound& bound : result.bounds)
      for (size_t i = 0; i < bound.gap.size(); ++i)
        if (!std::isfinite(bound.gap[i]) ||
            (std::isfinite(bound.limit[i]) && bound.gap[i] > bound.limit[i])) {
          add_station(bound.channel, bound.steps[i]);
          break;
        }
  }

  void add_station(const std::string& channel, int64_t step) {
    const compare::Series a = compare::series_of(stored_.run.channels.at(channel), stored_.run.steps, {step});
    const compare::Series b = compare::series_of(now_.channels().at(channel), now_.steps(), {step});
    if (a.size() == 1 && b.size() == 1) {
      const bool as_float32 = a.float32_valued() && b.float32_valued();
      stations_.push_back({step, channel, a.text(0, as_float32), b.text(0, as_float32)});
    }
  }

  /// Returns the first difference of a channel. In another environment, bits first diverge by rounding; the
  /// twins show where the difference is more than that.
  std::optional<ChannelStation> station_of(const std::string& channel) {
    const ChannelSide expected(stored_.run.steps, stored_.run.channels);
    if (gap_.environment.differ() && main_.twin && evidence_.twin != nullptr) {
      const ChannelSide twin(main_.twin->steps, main_.twin->channels);
      if (const auto found = first_difference(channel, twin, *evidence_.twin, collapsed_gap)) {
        gap_.by_twins = true;
        return found;
      }
    }
    return first_difference(channel, expected, now_);
  }

  void find_first_step() {
    for (const std::string& channel : suspects_)
      if (const auto station = station_of(channel))
        stations_.push_back(*station);
    for (const ChannelStation& station : stations_) {
      if (!gap_.first.empty() && station.step < gap_.first.front().step)
        gap_.first.clear();
      if (gap_.first.empty() || station.step == gap_.first.front().step)
        gap_.first.push_back(station);
    }
  }

  void find_rows() {
    std::set<std::string> differing;
    for (const ChannelStation& station : stations_)
      differing.insert(station.channel);
    for (golden::GoldenDifference& row :
         golden::golden_differences({{gap_.arm, stored_}}, {{gap_.arm, golden::content_of(evidence_)}}))
      if (differing.contains(row.quantity))
        gap_.rows.push_back(std::move(row));
  }

  bool is_held(const trace::TensorKey& key) const {
    return std::ranges::any_of(held_, [&](const compare::Check& check) {
      return check.of_tensors() && check.phase == key.phase && glob_match(check.tensor, key.name);
    });
  }

  TensorStation station_of(const trace::SketchRow& row) const {
    TensorStation station;
    station.key = row.key;
    const compare::TensorGap gap =
        compare::measure_tensor({row.key, &row, nullptr}, {row.key, now_.find_sketch(row.key), nullptr});
    if (gap.mismatch.empty())
      station.relative = gap.relative_l2;
    station.differs = !gap.identical && phases_.contains(row.key.phase) && !is_held(row.key);
    return station;
  }

  void find_tensors() {
    std::map<int64_t, std::map<trace::TensorKey, const trace::SketchRow*>> kept;
    for (const trace::SketchRow& row : stored_.sketches)
      if (now_.find_sketch(row.key) != nullptr)
        kept[row.key.step][row.key] = &row;
    for (const auto& [step, rows] : kept) {
      GoldenTensors& update = gap_.tensors.emplace_back();
      update.step = step;
      for (const trace::TensorKey& key : in_order_of_computation(now_, step))
        if (const auto row = rows.find(key); row != rows.end())
          update.path.stations.push_back(station_of(*row->second));
      const double drift = golden::largest_tensor_drift(evidence_.sixteen_bits);
      const bool beyond_drift = std::ranges::any_of(
          update.path.stations, [&](const TensorStation& station) { return station.differs_beyond(drift); });
      if (gap_.environment.differ() && beyond_drift)
        update.beyond = drift;
    }
  }

  const compare::ArmEvidence& evidence_;
  const trace::Trace& now_;
  const golden::GoldenArm& stored_;  ///< the variant of this environment, if there is one
  const golden::GoldenArm& main_;    ///< the main recording, which has the twin
  std::set<std::string> suspects_;
  std::set<trace::Phase> phases_;
  std::vector<compare::Check> held_;
  std::vector<ChannelStation> stations_;  ///< the first difference of each differing channel
  GoldenGap gap_;
};

}  // namespace

const GoldenTensors* GoldenGap::first_tensors() const {
  const auto found =
      std::ranges::find_if(tensors, [](const GoldenTensors& update) { return update.first() != nullptr; });
  return found == tensors.end() ? nullptr : &*found;
}

GoldenGap gap_to_golden(const GoldenRuns& runs, const golden::StoredGolden& golden, const std::string& arm,
                        const suite::FlatConfig& defaults) {
  const compare::ArmEvidence& evidence = runs.arms.at(arm);
  if (evidence.trace == nullptr)
    throw UserError(fmt::format("cannot compare {} with its golden ({}); fix the run first", arm,
                                evidence.failure.empty() ? "it left no trace" : evidence.failure),
                    ExitCode::crashed);
  return GapMeasure(runs, golden, arm, defaults).measure();
}

}  // namespace parity::bisect
