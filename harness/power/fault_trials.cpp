// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/fault_trials.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/tensors/first_difference.hpp"

namespace parity::power {
namespace {

constexpr std::array<trace::Phase, 4> shown_phases = {trace::Phase::grad_local, trace::Phase::grad,
                                                      trace::Phase::grad_clipped, trace::Phase::param};
constexpr const char* wide = "float64";  // suffix of the unchanged arm in float64

std::string narrow_suffix(size_t number) {
  return fmt::format("fault{}", number);
}

std::string wide_suffix(size_t number) {
  return fmt::format("fault{}-float64", number);
}

/// Returns a check that is never judged. It makes an arm and its derived arms record digests at every step.
compare::Check digests_of(const std::string& arm, trace::Phase phase) {
  compare::Check check;
  check.tensor = "*";
  check.phase = phase;
  check.arms = {arm};
  check.relation = compare::Relation::unchanged;
  return check;
}

/// Returns whether a run failed because its fault cannot be injected there.
bool is_refusal(const suite::RunResult& run) {
  return run.failure && (run.failure->kind == results::FailureKind::bad_config ||
                         run.failure->kind == results::FailureKind::bad_fault);
}

int64_t changed_elements(const trace::Trace* trace) {
  return trace && !trace->faults().empty() ? trace->faults().front().changed : 0;
}

Json place_json(const trace::TensorKey& key) {
  return {{"step", key.step}, {"phase", name_of(key.phase)}, {"name", key.name}};
}

}  // namespace

bool Trial::seen_by_golden() const {
  return std::any_of(alarms.begin(), alarms.end(), [](const Alarm& alarm) { return alarm.of_golden(); });
}

bool Trial::seen_by_arms() const {
  return std::any_of(alarms.begin(), alarms.end(), [](const Alarm& alarm) { return !alarm.of_golden(); });
}

bool Trial::is_named() const {
  return first && first->phase == fault.phase && first->name == fault.name && fault.at_step(first->step);
}

Json Trial::to_json() const {
  return {{"fault", fault.to_json()},
          {"first", first ? place_json(*first) : Json()},
          {"alarms", alarms.size()},
          {"sentence", alarms.empty() ? "" : alarms.front().sentence}};
}

suite::Case only_about(const suite::Case& source, const std::string& arm) {
  suite::Case part = source;
  const bool has_commands = std::any_of(part.arms.begin(), part.arms.end(),
                                        [](const suite::Arm& each) { return each.is_command(); });
  std::erase_if(part.golden.arms, [&](const std::string& name) { return name != arm; });
  part.checks.clear();
  part.check_places.clear();
  std::set<std::string> wanted = {arm};
  for (size_t i = 0; i < source.checks.size(); ++i) {
    const compare::Check& check = source.checks[i];
    if (std::find(check.arms.begin(), check.arms.end(), arm) == check.arms.end())
      continue;
    part.checks.push_back(check);
    part.check_places.push_back(source.check_places[i]);
    const std::vector<std::string> named = check.all_arms();
    wanted.insert(named.begin(), named.end());
  }
  if (!has_commands)
    std::erase_if(part.arms, [&](const suite::Arm& each) { return !wanted.contains(each.name); });
  if (!wanted.contains(part.reference))
    part.reference = arm;
  return part;
}

FaultTrials::FaultTrials(const suite::Case& source, const std::string& arm, const suite::RunSettings& options,
                         Progress& progress)
    : source_(only_about(source, arm)),
      arm_(arm),
      options_(options),
      store_(options.out),
      progress_(progress) {
  suite::Case plain = source_;
  has_twin_ = !plan_arms(source_, options_).arm(arm_).twin.empty();
  plain = derived({});
  base_.emplace(run_arms(plain, options_, progress_));
  const suite::PlannedArm& own = base_->planned.arm(arm_);
  for (const std::string& id : {own.run, own.twin})
    if (!id.empty() && !base_->runs.at(id).complete())
      throw UserError(
          fmt::format("cannot inject faults into {}:{} (its run did not finish: {}); fix the run first",
                      source.name, arm, base_->runs.at(id).failure->message),
          ExitCode::crashed);
  broken_ = Gate(source_, *base_, store_).broken();
}

const trace::Trace& FaultTrials::healthy() const {
  const trace::Trace* trace = base_->evidence.trace(arm_);
  require(trace != nullptr, "the healthy arm has no trace");
  return *trace;
}

bool FaultTrials::has_ranks() const {
  return base_->planned.arm(arm_).ranks > 1;
}

suite::Case FaultTrials::derived(const std::vector<trace::Fault>& faults) const {
  suite::Case all = source_;
  for (const trace::Phase phase : shown_phases) {
    all.checks.push_back(digests_of(arm_, phase));
    all.check_places.push_back(source_.arm(arm_).place);
  }
  const suite::FlatConfig in_float64 = {{"dtype", "float64"}};
  std::vector<suite::ExtraArm> extra;
  if (has_twin_)
    extra.push_back({.of = arm_, .suffix = wide, .config = in_float64});
  for (size_t i = 0; i < faults.size(); ++i) {
    extra.push_back({.of = arm_, .suffix = narrow_suffix(i), .twin = true, .faults = {faults[i]}});
    if (has_twin_)  // the twin as an arm with a name, so that it records digests too
      extra.push_back({.of = arm_, .suffix = wide_suffix(i), .config = in_float64, .faults = {faults[i]}});
  }
  return with_extra_arms(std::move(all), extra);
}

Trial FaultTrials::judge(const trace::Fault& fault, size_t number, const suite::ArmRuns& runs,
                         const Gate& gate) const {
  Trial trial;
  trial.fault = fault;
  const std::string narrow = arm_ + "~" + narrow_suffix(number);
  const suite::PlannedArm& planned = runs.planned.arm(narrow);
  for (const std::string& id : {planned.run, planned.twin})
    if (!id.empty() && is_refusal(runs.runs.at(id))) {
      trial.refused = runs.runs.at(id).failure->message;
      return trial;
    }
  const auto& arms = runs.evidence.arms();
  const compare::ArmEvidence& found = arms.at(narrow);
  trial.has_effect = changed_elements(found.trace) > 0 || changed_elements(found.twin) > 0;
  trial.alarms = gate.alarms(arm_, narrow);
  if (found.trace)
    trial.first = compare::first_difference(*arms.at(arm_).trace, *found.trace);
  if (!trial.first && has_twin_) {
    const trace::Trace* healthy = arms.at(arm_ + "~" + wide).trace;
    const trace::Trace* faulty = arms.at(arm_ + "~" + wide_suffix(number)).trace;
    if (healthy && faulty)
      trial.first = compare::first_difference(*healthy, *faulty);
  }
  return trial;
}

std::vector<Trial> FaultTrials::run(const std::vector<trace::Fault>& faults) {
  std::vector<trace::Fault> fresh;
  for (const trace::Fault& fault : faults)
    if (!known_.contains(fault.to_json().dump()) &&
        std::find(fresh.begin(), fresh.end(), fault) == fresh.end())
      fresh.push_back(fault);
  if (!fresh.empty()) {
    const suite::ArmRuns runs = run_arms(derived(fresh), options_, progress_);
    const Gate gate(source_, runs, store_);
    for (size_t i = 0; i < fresh.size(); ++i)
      known_[fresh[i].to_json().dump()] = judge(fresh[i], i, runs, gate);
  }
  std::vector<Trial> trials;
  for (const trace::Fault& fault : faults)
    trials.push_back(known_.at(fault.to_json().dump()));
  return trials;
}

}  // namespace parity::power
