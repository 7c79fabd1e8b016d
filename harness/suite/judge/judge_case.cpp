// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/judge_case.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/curves/series.hpp"
#include "harness/golden/sibling.hpp"
#include "harness/operators/judge/judge.hpp"
#include "harness/suite/judge/case_floors.hpp"
#include "harness/suite/judge/first_weights.hpp"
#include "harness/suite/judge/late_difference.hpp"
#include "harness/suite/judge/law_check.hpp"
#include "harness/suite/judge/name_points.hpp"
#include "harness/suite/judge/replica_check.hpp"

namespace parity::suite {
namespace {

/// Returns whether both arms have the same run, because their configs and commands are equal.
bool is_of_one_run(const compare::Check& check, const PlannedCase& planned) {
  if (check.arms.size() != 2)
    return false;
  const auto run_of = [&](const std::string& name) {
    return std::find_if(planned.arms.begin(), planned.arms.end(),
                        [&](const PlannedArm& arm) { return arm.name == name; })
        ->run;
  };
  return run_of(check.arms[0]) == run_of(check.arms[1]);
}

compare::CheckResult vacuous(const compare::Check& check, bool commands) {
  compare::CheckResult result;
  result.verdict = compare::Verdict::vacuous;
  result.sentence = fmt::format(
      "{} and {} are the same run, so there is nothing to compare (their configs{} do not differ); set the "
      "value that the case asks about in one of them, or ask whether one arm has the same bits twice: "
      "relation "
      "= \"repeats\"",
      check.arms[0], check.arms[1], commands ? ", commands and inputs" : "");
  return result;
}

/// Judges a check between arms of the case.
compare::CheckResult judge_pair(const compare::Check& check, const PlannedCase& planned,
                                const std::map<std::string, compare::ArmEvidence>& arms) {
  if (is_of_one_run(check, planned))
    return vacuous(check, planned.source.arm(check.arms[0]).is_command());
  if (check.of_operator)
    return operators::judge(check, *planned.source.problem, arms);
  compare::CheckResult result =
      check.sibling && !check.sibling->golden.empty()
          ? judge_against_sibling(check, arms, golden::stored_golden(check.sibling->golden))
          : judge(check, arms);
  add_first_weights(result, check, arms);
  excuse_late_difference(result, check, arms);
  return result;
}

/// Returns whether the case itself has a check of this relation about one arm.
bool asks(const Case& source, compare::Relation relation, const std::string& arm) {
  return std::ranges::any_of(source.checks, [&](const compare::Check& check) {
    return check.relation == relation && check.arms.front() == arm;
  });
}

/// Returns whether an arm stands still, as one at rate 0 does, and the case itself says so: it claims that
/// update_norm does not change. One that is constant but not 0 trains.
bool stands_still(const Case& source, const std::string& arm, const trace::Trace& trace) {
  const bool claimed = std::ranges::any_of(source.checks, [&](const compare::Check& check) {
    return check.relation == compare::Relation::unchanged && check.arms.front() == arm &&
           std::ranges::find(check.channels, "update_norm") != check.channels.end();
  });
  const auto norms = trace.channels().find("update_norm");
  if (!claimed || norms == trace.channels().end())
    return false;
  const compare::Series series = compare::series_of(norms->second, trace.steps(), trace.steps());
  for (size_t i = 0; i < series.size(); ++i)
    if (series.widened(i) != 0)
      return false;
  return true;
}

void add_training_checks(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence) {
  for (const Arm& arm : source.arms) {
    const trace::Trace* trace = evidence.trace(arm.name);
    if (asks(source, compare::Relation::trained, arm.name) || !trace ||
        stands_still(source, arm.name, *trace) || !trace->channels().contains("loss"))
      continue;
    compare::Check check;
    check.channels = {"loss"};
    check.arms = {arm.name};
    check.relation = compare::Relation::trained;
    check.because = "arms that do not train agree without proving anything";
    judged.push_back({results::CheckKind::training, "loss", check, judge(check, evidence.arms())});
  }
}

void add_replica_checks(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence) {
  for (const Arm& arm : source.arms)
    if (const trace::Trace* trace = evidence.trace(arm.name))
      if (auto check = replica_check(arm.name, *trace))
        judged.push_back(std::move(*check));
}

void add_law_checks(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence) {
  for (const Arm& arm : source.arms)
    if (!asks(source, compare::Relation::lawful, arm.name))
      if (auto check = law_check(arm.name, evidence.arms()))
        judged.push_back(std::move(*check));
}

/// Returns the result of a check against a golden that is being recorded, so there is nothing to compare
/// with.
compare::CheckResult not_yet_stored(const compare::Check& check) {
  compare::CheckResult result;
  result.passed = true;
  result.verdict = compare::Verdict::identical;
  result.sentence =
      check.quantity() + " of " + check.arms[0] + " is recorded now, and compared in later runs";
  return result;
}

/// Adds to a refuted proof that float64 twins of the same arms saw only rounding: both are right, and the
/// arms are nearly equal.
void add_near_equalities(std::vector<JudgedCheck>& judged) {
  for (JudgedCheck& proof : judged) {
    if (proof.claim.relation != compare::Relation::same_function ||
        proof.result.verdict != compare::Verdict::different)
      continue;
    const auto agreeing = std::ranges::find_if(judged, [&](const JudgedCheck& each) {
      return each.claim.relation == compare::Relation::equivalent && each.claim.arms == proof.claim.arms &&
             each.result.passed;
    });
    if (agreeing != judged.end())
      proof.result.sentence += fmt::format(
          "; float64 twins of {} differ only by rounding, so the two functions are nearly equal: a constant "
          "that one "
          "arm rounds otherwise, or a change too small for them",
          agreeing->quantity);
  }
}

bool all_twins_ran(const compare::Check& check, const std::map<std::string, compare::ArmEvidence>& arms) {
  return std::ranges::all_of(check.all_arms(),
                             [&](const std::string& name) { return arms.at(name).twin != nullptr; });
}

}  // namespace

std::vector<JudgedCheck> judge_case(const PlannedCase& planned, const Evidence& evidence,
                                    const golden::StoredGolden& golden, const GoldenPolicy& policy,
                                    const std::map<std::string, RunResult>& runs,
                                    const StandingEvidence& standing) {
  const Case& source = planned.source;
  std::vector<JudgedCheck> judged;
  std::map<std::string, compare::ArmEvidence> arms = evidence.arms();
  attach_floors(arms, source, golden);
  const bool records = will_record(source, policy.mode);
  for (size_t i = 0; i < source.checks.size(); ++i) {
    const compare::Check& check = source.checks[i];
    if (check.against == compare::Against::golden)
      judged.push_back(
          {results::CheckKind::golden, check.quantity(), check,
           records ? not_yet_stored(check) : judge_against_golden(check, golden, arms.at(check.arms[0]))});
    else if (const auto stored = standing.find(i);
             stored != standing.end() && !all_twins_ran(check, arms) && !is_of_one_run(check, planned))
      judged.push_back(
          {results::CheckKind::pair, check.quantity(), check, stored->second.result, stored->second.origin});
    else
      judged.push_back({results::CheckKind::pair, check.quantity(), check, judge_pair(check, planned, arms)});
  }
  add_near_equalities(judged);
  add_training_checks(judged, source, evidence);
  add_replica_checks(judged, source, evidence);
  add_law_checks(judged, source, evidence);
  if (records)
    record_case(judged, planned, evidence, runs, golden, policy);
  else
    judge_golden(judged, source, evidence, golden, policy.drift);
  if (source.problem)
    for (JudgedCheck& check : judged)
      if (check.kind == results::CheckKind::golden)
        name_points(check.result, *source.problem);
  return judged;
}

std::string describe_window(const compare::StepWindow& window) {
  if (window.kind != compare::StepWindow::Kind::range)
    return std::string(name_of(window.kind));
  return window.first == window.last ? std::to_string(window.first)
                                     : fmt::format("{}-{}", window.first, window.last);
}

}  // namespace parity::suite
