// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/false_alarms.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "harness/power/fault_trials.hpp"

namespace parity::power {
namespace {

constexpr size_t pairs_at_a_time = 8;

/// Returns the case with another seed of the run, which changes weights and data of all arms in the same way.
suite::Case with_seed(suite::Case source, int64_t seed) {
  for (suite::Arm& arm : source.arms)
    if (!arm.is_command())
      arm.config["seed"] = {seed, suite::Place{"a seed of parity power", 0, 0}};
  return source;
}

/// Returns the case with only those checks that a run with another order of sums must pass.
suite::Case up_to_rounding(suite::Case source) {
  source.golden.arms.clear();
  for (size_t i = source.checks.size(); i-- > 0;)
    if (!source.checks[i].needs_twins()) {
      source.checks.erase(source.checks.begin() + static_cast<std::ptrdiff_t>(i));
      source.check_places.erase(source.check_places.begin() + static_cast<std::ptrdiff_t>(i));
    }
  return source;
}

/// Returns a check that compares the arm with its no-op.
compare::Check claim(const std::string& arm, const std::string& other, bool exact) {
  compare::Check check;
  check.channels = {"loss", "grad_norm"};
  check.arms = {arm, other};
  check.relation = exact ? compare::Relation::identical : compare::Relation::equivalent;
  return check;
}

std::string suffix_of(size_t number) {
  return fmt::format("no-op{}", number);
}

/// The no-op pairs of one seed.
class Pairs {
 public:
  Pairs(const suite::Case& source, const std::string& arm, const suite::RunSettings& options,
        Progress& progress)
      : source_(source), arm_(arm), options_(options), store_(options.out), progress_(progress) {}

  void judge(const std::vector<NoOp>& changes, int64_t seed, FalseAlarms& found) const {
    const suite::ArmRuns runs = run_arms(derived(changes), options_, progress_);
    const Gate gate(source_, runs, store_), loose(up_to_rounding(source_), runs, store_);
    for (size_t i = 0; i < changes.size(); ++i)
      judge(changes[i], arm_ + "~" + suffix_of(i), seed, runs, changes[i].exact ? gate : loose, found);
  }

 private:
  suite::Case derived(const std::vector<NoOp>& changes) const {
    std::vector<suite::ExtraArm> extra;
    for (size_t i = 0; i < changes.size(); ++i)
      extra.push_back({.of = arm_, .suffix = suffix_of(i), .config = changes[i].config, .twin = true});
    suite::Case all = with_extra_arms(source_, extra);
    if (std::any_of(changes.begin(), changes.end(), [](const NoOp& change) { return !change.exact; })) {
      all.checks.push_back(claim(arm_, arm_, false));  // only makes the twins run; never judged
      all.check_places.push_back(source_.arm(arm_).place);
    }
    return all;
  }

  void judge(const NoOp& change, const std::string& other, int64_t seed, const suite::ArmRuns& runs,
             const Gate& gate, FalseAlarms& found) const {
    const suite::PlannedArm& planned = runs.planned.arm(other);
    for (const std::string& id : {planned.run, planned.twin})
      if (!id.empty() && runs.runs.at(id).failure &&
          runs.runs.at(id).failure->kind == results::FailureKind::bad_config) {
        ++found.left_out;
        return;
      }
    std::string sentence;
    if (const std::vector<Alarm> alarms = gate.alarms(arm_, other); !alarms.empty())
      sentence = alarms.front().sentence;
    const compare::CheckResult pair = compare::judge(claim(arm_, other, change.exact), runs.evidence.arms());
    if (sentence.empty() && !pair.passed && pair.verdict != compare::Verdict::vacuous)
      sentence = pair.sentence;
    (change.exact ? found.exact : found.rounding).add(!sentence.empty());
    if (!sentence.empty())
      found.alarms.push_back({change.words, seed, sentence});
  }

  const suite::Case& source_;
  const std::string& arm_;
  const suite::RunSettings& options_;
  suite::RunStore store_;
  Progress& progress_;
};

}  // namespace

Json FalseAlarms::to_json() const {
  Json list = Json::array();
  for (const FalseAlarm& alarm : alarms)
    list.push_back({{"change", alarm.change}, {"seed", alarm.seed}, {"sentence", alarm.sentence}});
  return {{"pairs", all().trials},      {"alarms", all().hits},        {"at_most", at_most(all())},
          {"exact", exact.trials},      {"rounding", rounding.trials}, {"left_out", left_out},
          {"examples", std::move(list)}};
}

FalseAlarms false_alarms(const suite::Case& source, const std::string& arm, int64_t pairs, uint64_t seed,
                         const suite::RunSettings& options, Progress& progress) {
  const suite::Case about = only_about(source, arm);
  const suite::FlatConfig config = plan_arms(about, options).arm(arm).config;
  std::vector<NoOp> changes = no_ops_of(config);
  FalseAlarms found;
  if (changes.empty())
    return found;
  std::mt19937_64 random(seed);
  for (size_t i = changes.size(); i > 1; --i)  // not std::shuffle, whose draws differ between libraries
    std::swap(changes[i - 1], changes[random() % i]);
  const auto known = config.find("seed");
  const int64_t first =
      known != config.end() && known->second.is_number_integer() ? known->second.get<int64_t>() : 0;
  for (int64_t round = 0; found.all().trials < pairs && found.left_out < pairs; ++round) {
    const suite::Case seeded = round == 0 ? about : with_seed(about, first + round);
    for (size_t at = 0; at < changes.size() && found.all().trials < pairs; at += pairs_at_a_time) {
      const auto left = static_cast<size_t>(pairs - found.all().trials);
      const size_t end = std::min({at + pairs_at_a_time, changes.size(), at + left});
      Pairs(seeded, arm, options, progress)
          .judge({changes.begin() + static_cast<std::ptrdiff_t>(at),
                  changes.begin() + static_cast<std::ptrdiff_t>(end)},
                 first + round, found);
    }
  }
  return found;
}

}  // namespace parity::power
