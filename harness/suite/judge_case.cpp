// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge_case.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/process.hpp"
#include "harness/suite/replica_check.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

/// Whether both arms are trained by one run, because nothing tells their configs apart.
bool is_of_one_run(const Check& check, const PlannedCase& planned) {
  if (check.arms.size() != 2)
    return false;
  const auto run_of = [&](const std::string& name) {
    return std::find_if(planned.arms.begin(), planned.arms.end(),
                        [&](const PlannedArm& arm) { return arm.name == name; })
        ->run;
  };
  return !planned.source.arm(check.arms[0]).is_command() && run_of(check.arms[0]) == run_of(check.arms[1]);
}

CheckResult vacuous(const Check& check) {
  CheckResult result;
  result.verdict = Verdict::vacuous;
  result.sentence = fmt::format(
      "{} and {} have the same config and are one run, so there is nothing to compare; "
      "give one of them the value that the case asks about",
      check.arms[0], check.arms[1]);
  return result;
}

void add_training_checks(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence) {
  for (const Arm& arm : source.arms) {
    const Trace* trace = evidence.trace(arm.name);
    const bool asked = std::any_of(source.checks.begin(), source.checks.end(), [&](const Check& check) {
      return check.relation == Relation::trained && check.arms.front() == arm.name;
    });
    if (asked || !trace || !trace->channels().contains("loss"))
      continue;
    Check check;
    check.channels = {"loss"};
    check.arms = {arm.name};
    check.relation = Relation::trained;
    check.because = "arms that do not train agree for the wrong reason";
    judged.push_back({"training", "loss", check, judge(check, evidence.arms())});
  }
}

void add_replica_checks(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence) {
  for (const Arm& arm : source.arms)
    if (const Trace* trace = evidence.trace(arm.name))
      if (auto check = replica_check(arm.name, *trace))
        judged.push_back(std::move(*check));
}

JudgedCheck golden_check(const std::string& arm, const std::string& quantity, CheckResult result) {
  Check check;
  check.arms = {arm};
  check.relation = Relation::identical;
  check.because = "the golden holds what this arm computed when it was last reviewed";
  return {"golden", quantity, check, std::move(result)};
}

CheckResult plain_result(bool passed, Verdict verdict, const std::string& sentence) {
  CheckResult result;
  result.passed = passed;
  result.verdict = verdict;
  result.sentence = sentence;
  return result;
}

void add_to_all_golden_arms(std::vector<JudgedCheck>& judged, const Case& source, const CheckResult& result) {
  Check check = golden_check(source.golden.arms.front(), "golden", {}).claim;
  check.arms = source.golden.arms;
  judged.push_back({"golden", "golden", check, result});
}

void compare(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
             const StoredGolden& golden) {
  const auto arms = evidence.arms(source.golden.arms);
  const bool crashed =
      std::any_of(arms.begin(), arms.end(), [](const auto& arm) { return arm.second.crashed; });
  if (!fs::exists(source.golden_file) && crashed)
    return;  // the arm is told; a golden is the next thing to ask for
  if (!fs::exists(source.golden_file))
    return add_to_all_golden_arms(
        judged, source,
        plain_result(
            false, Verdict::missing,
            fmt::format("there is no golden {}; make it with: {}", path_from_here(source.golden_file),
                        shell_quote({"parity", "golden", "record", path_from_here(source.file)}))));
  try {
    for (GoldenResult& found : verify_golden(golden, arms))
      judged.push_back(golden_check(found.arm, found.quantity, std::move(found.result)));
  } catch (const UserError& error) {
    add_to_all_golden_arms(judged, source, plain_result(false, Verdict::missing, error.what()));
  }
}

/// What is stored differs from this run, and nobody said why it may: the differences, and how to bless them.
void refuse_to_change(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                      const StoredGolden& golden) {
  compare(judged, source, evidence, golden);
  add_to_all_golden_arms(
      judged, source,
      plain_result(false, Verdict::different,
                   fmt::format("{} holds other values and was left as it is (values that change need a "
                               "reason for those who review them); if the new ones are right: {}",
                               path_from_here(source.golden_file),
                               shell_quote({"parity", "golden", "record", path_from_here(source.file),
                                            "--reason", "WHY THEY CHANGED"}))));
}

std::string recording_words(Recording recording, const std::string& file, const GoldenPolicy& policy) {
  switch (recording) {
    case Recording::first:
      return file + " was recorded";
    case Recording::changed:
      return fmt::format("{} was recorded again: {} (review it with: parity golden diff HEAD)", file,
                         policy.reason);
    case Recording::other_config:
      return file + " holds the same values and was recorded again, with the config as it is now";
    case Recording::unchanged:
      break;
  }
  return file + (policy.mode == GoldenMode::update_all ? " holds the same values and was written anew"
                                                       : " holds these values already");
}

void record(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
            const StoredGolden& golden, const GoldenPolicy& policy) {
  const std::string file = path_from_here(source.golden_file);
  const auto failed =
      std::count_if(judged.begin(), judged.end(), [](const JudgedCheck& j) { return !j.result.passed; });
  if (failed > 0)
    return add_to_all_golden_arms(
        judged, source,
        plain_result(
            false, Verdict::missing,
            fmt::format("{} was not recorded, because {} of the case's checks failed", file, failed)));
  const auto arms = evidence.arms(source.golden.arms);
  if (recording_of(source.golden_file, arms) == Recording::changed && policy.reason.empty())
    return refuse_to_change(judged, source, evidence, golden);
  GoldenOrigin origin = policy.origin;
  origin.case_name = source.name;
  // Not the command line as typed: it names folders of whoever recorded, and cases that are not in this file.
  origin.command = "parity golden record " + source.name;
  const Recording recording =
      record_golden(source.golden_file, origin, arms, policy.reason,
                    policy.mode == GoldenMode::update_all ? Rewrite::always : Rewrite::when_changed);
  add_to_all_golden_arms(judged, source,
                         plain_result(true, Verdict::identical, recording_words(recording, file, policy)));
}

}  // namespace

bool will_record(const Case& source, GoldenMode mode) {
  if (source.golden.arms.empty() || mode == GoldenMode::compare)
    return false;
  return mode != GoldenMode::create_missing || !fs::exists(source.golden_file);
}

std::vector<JudgedCheck> judge_case(const PlannedCase& planned, const Evidence& evidence,
                                    const StoredGolden& golden, const GoldenPolicy& policy) {
  const Case& source = planned.source;
  std::vector<JudgedCheck> judged;
  for (const Check& check : source.checks)
    judged.push_back({"pair", check.quantity(), check,
                      is_of_one_run(check, planned) ? vacuous(check) : judge(check, evidence.arms())});
  add_training_checks(judged, source, evidence);
  add_replica_checks(judged, source, evidence);
  if (will_record(source, policy.mode))
    record(judged, source, evidence, golden, policy);
  else if (!source.golden.arms.empty())
    compare(judged, source, evidence, golden);
  return judged;
}

std::string window_words(const StepWindow& window) {
  if (window.kind != StepWindow::Kind::range)
    return std::string(name_of(window.kind));
  return window.first == window.last ? std::to_string(window.first)
                                     : fmt::format("{}-{}", window.first, window.last);
}

}  // namespace parity
