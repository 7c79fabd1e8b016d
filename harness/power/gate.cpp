// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/gate.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/suite/cases/read/drop_checks.hpp"

namespace parity::power {
namespace {

/// Returns a key that identifies a check among those of a case.
std::string key_of(const suite::JudgedCheck& judged) {
  return fmt::format("{} {} {} of {} {}", name_of(judged.kind), judged.quantity,
                     name_of(judged.claim.relation), fmt::join(judged.claim.arms, " "),
                     suite::describe_window(judged.claim.steps));
}

/// Returns the planned case reduced to the arms and checks of the case that it is derived from.
suite::PlannedCase own_arms(const suite::Case& source, const suite::PlannedCase& derived) {
  suite::PlannedCase own{source, {}};
  for (const suite::Arm& arm : source.arms)
    own.arms.push_back(derived.arm(arm.name));
  return own;
}

/// Returns the golden that a recording of these runs would make.
golden::StoredGolden golden_of(const suite::Case& source, const suite::Evidence& evidence) {
  golden::StoredGolden stored;
  stored.file = source.golden_file;
  stored.golden.emplace();
  for (const auto& [name, arm] : evidence.arms(source.golden.arms))
    if (arm.trace && !arm.crashed)
      stored.golden->arms.emplace(name,
                                  golden::content_of({arm.trace, nullptr, false, arm.warmup_steps, ""}));
  stored.golden->stored_digest = content_digest(stored.golden->arms);
  if (const golden::StoredGolden file = golden::stored_golden(source.golden_file); file.golden)
    stored.golden->floors = file.golden->floors;
  return stored;
}

}  // namespace

Gate::Gate(const suite::Case& source, const suite::ArmRuns& runs, const suite::RunStore& store)
    : runs_(runs), store_(store), healthy_(own_arms(source, runs.planned)) {
  suite::Case& own = healthy_.source;
  // A fault would be in every repetition, and exact twins take none.
  drop_checks_if(own, [](const compare::Check& check) {
    return check.relation == compare::Relation::repeats || check.of_exact_twins();
  });
  if (!std::filesystem::exists(own.golden_file))
    own.golden.arms.clear();
  const suite::Evidence evidence(healthy_, runs.runs, store);
  if (!own.golden.arms.empty())
    golden_ = golden_of(own, evidence);
  for (const suite::JudgedCheck& each : judged(healthy_, evidence)) {
    if (each.result.passed)
      continue;
    broken_keys_.push_back(key_of(each));
    broken_.push_back(each.quantity + ": " + each.result.sentence);
  }
}

std::vector<suite::JudgedCheck> Gate::judged(const suite::PlannedCase& planned,
                                             const suite::Evidence& evidence) const {
  return judge_case(planned, evidence, golden_, suite::GoldenPolicy());
}

suite::PlannedCase Gate::planned_with(const std::string& arm, const std::string& derived) const {
  suite::PlannedCase planned = healthy_;
  const suite::PlannedArm& other = runs_.planned.arm(derived);
  suite::PlannedArm& place = planned.arm(arm);
  place.run = other.run;
  place.twin = other.twin;
  return planned;
}

suite::Evidence Gate::evidence(const std::string& arm, const std::string& derived) const {
  return {planned_with(arm, derived), runs_.runs, store_};
}

std::vector<Alarm> Gate::alarms(const std::string& arm, const std::string& derived) const {
  const suite::PlannedCase planned = planned_with(arm, derived);
  std::vector<Alarm> alarms;
  for (const suite::JudgedCheck& each : judged(planned, suite::Evidence(planned, runs_.runs, store_)))
    if (!each.result.passed && each.result.verdict != compare::Verdict::vacuous &&
        std::find(broken_keys_.begin(), broken_keys_.end(), key_of(each)) == broken_keys_.end())
      alarms.push_back({each.kind, each.quantity, each.result.verdict, each.result.sentence});
  return alarms;
}

}  // namespace parity::power
