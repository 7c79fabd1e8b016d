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
#include "harness/compare/text/wording.hpp"
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

/// Returns whether the config of a recording is known, even if it has no key.
bool states_config(const golden::GoldenArm& arm) {
  return !arm.config.empty() || arm.given.is_object();
}

/// \param now  the config of the run
std::string unknown_config_text(const std::string& arm, const Json& now) {
  constexpr size_t most = 3;
  std::vector<std::string> keys;
  const suite::FlatConfig flat = suite::flatten(now);
  for (const auto& [key, value] : flat)
    if (keys.size() < most)
      keys.push_back(fmt::format("{} ({})", key, value.dump()));
  if (flat.size() > most)
    keys.push_back(fmt::format("{} more", flat.size() - most));
  return fmt::format(
      "the golden stores no config of {}, so whether {} changed is unknown; goldens of commands that are "
      "recorded from now on store the keys that parity gives",
      arm, keys.empty() ? "a key" : compare::list_text(keys));
}

std::string unknown_environment_text(const std::string& arm, bool in_golden) {
  return fmt::format(
      "{} no environment{}, so whether the machine or a library changed is unknown; record a fingerprint in "
      "the trace to see it",
      in_golden ? "the golden stores" : "the run of " + arm + " records", in_golden ? " of " + arm : "");
}

/// The rows of one tensor; null where a side has none.
struct RowPair {
  const trace::SketchRow* stored = nullptr;
  const trace::SketchRow* now = nullptr;
};

class GapMeasure {
 public:
  GapMeasure(const GoldenRuns& runs, const golden::StoredGolden& golden, const std::string& arm,
             const suite::FlatConfig& defaults)
      : evidence_(runs.arms.at(arm)),
        now_(*evidence_.trace),
        stored_(golden.golden->side_for(arm, golden::fingerprint_of(now_))),
        main_(golden.golden->arms.at(arm)),
        content_(golden::content_of(evidence_)) {
    gap_.arm = arm;
    gap_.last_step = now_.last_step();
    const Json config = content_.known_config();
    if (states_config(stored_))
      gap_.config = config_facts(stored_.known_config(), config, defaults);
    else
      gap_.unknown.push_back(unknown_config_text(arm, config));
    const Json environment = golden::fingerprint_of(now_);
    if (stored_.fingerprint.empty() || environment.empty())
      gap_.unknown.push_back(unknown_environment_text(arm, stored_.fingerprint.empty()));
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
         golden::golden_differences({{gap_.arm, stored_}}, {{gap_.arm, content_}}))
      if (differing.contains(row.quantity))
        gap_.rows.push_back(std::move(row));
  }

  bool is_held(const trace::TensorKey& key) const {
    return std::ranges::any_of(held_, [&](const compare::Check& check) {
      return check.of_tensors() && check.phase == key.phase && glob_match(check.tensor, key.name);
    });
  }

  TensorStation station_of(const trace::SketchRow& stored, const trace::SketchRow& now) const {
    TensorStation station;
    station.key = stored.key;
    const compare::TensorGap gap =
        compare::measure_tensor({stored.key, &stored, nullptr}, {now.key, &now, nullptr});
    if (gap.mismatch.empty())
      station.relative = gap.relative_l2;
    station.differs = !gap.identical && phases_.contains(stored.key.phase) && !is_held(stored.key);
    return station;
  }

  /// Returns the keys of an update in the run's order of computation.
  std::vector<trace::TensorKey> ordered(int64_t step,
                                        const std::map<trace::TensorKey, RowPair>& pairs) const {
    std::vector<trace::TensorKey> keys = in_order_of_computation(now_, step);
    std::erase_if(keys, [&](const trace::TensorKey& key) { return !pairs.contains(key); });
    for (const auto& [key, rows] : pairs)
      if (std::ranges::find(keys, key) == keys.end())
        keys.push_back(key);
    return keys;
  }

  void find_tensors() {
    const std::vector<trace::SketchRow> recorded =
        golden::kept_rows(now_, golden::steps_with_tensors(stored_));
    std::map<int64_t, std::map<trace::TensorKey, RowPair>> rows;
    for (const trace::SketchRow& row : stored_.sketches)
      rows[row.key.step][row.key].stored = &row;
    for (const trace::SketchRow& row : recorded)
      rows[row.key.step][row.key].now = &row;
    for (auto& [step, pairs] : rows) {
      std::erase_if(pairs, [&](const auto& entry) {
        const bool lone = entry.second.stored == nullptr || entry.second.now == nullptr;
        if (lone)
          gap_.lone_tensors.push_back({entry.first, entry.second.stored != nullptr});
        return lone;
      });
      if (!pairs.empty())
        add_update(step, pairs);
    }
  }

  void add_update(int64_t step, const std::map<trace::TensorKey, RowPair>& pairs) {
    GoldenTensors& update = gap_.tensors.emplace_back();
    update.step = step;
    for (const trace::TensorKey& key : ordered(step, pairs))
      update.path.stations.push_back(station_of(*pairs.at(key).stored, *pairs.at(key).now));
    const double drift = golden::largest_tensor_drift(evidence_.sixteen_bits);
    const bool beyond_drift = std::ranges::any_of(
        update.path.stations, [&](const TensorStation& station) { return station.differs_beyond(drift); });
    if (gap_.environment.differ() && beyond_drift)
      update.beyond = drift;
  }

  const compare::ArmEvidence& evidence_;
  const trace::Trace& now_;
  const golden::GoldenArm& stored_;  ///< the variant of this environment, if there is one
  const golden::GoldenArm& main_;    ///< the main recording, which has the twin
  const golden::GoldenArm content_;  ///< what a recording of the run would store
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
