// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge_case.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/process.hpp"
#include "harness/compare/wording.hpp"
#include "harness/golden/sibling.hpp"
#include "harness/suite/case_floors.hpp"
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

/// A check between arms of the case.
CheckResult judge_pair(const Check& check, const PlannedCase& planned,
                       const std::map<std::string, ArmEvidence>& arms) {
  if (is_of_one_run(check, planned))
    return vacuous(check);
  if (check.sibling && !check.sibling->golden.empty())
    return judge_against_sibling(check, arms, stored_golden(check.sibling->golden));
  return judge(check, arms);
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

/// While values are being stored there is nothing to hold them against.
CheckResult not_yet_stored(const Check& check) {
  return plain_result(
      true, Verdict::identical,
      check.quantity() + " of " + check.arms[0] + " is recorded now, and compared from then on");
}

void add_to_all_golden_arms(std::vector<JudgedCheck>& judged, const Case& source, const CheckResult& result) {
  Check check = golden_check(source.golden.arms.front(), "golden", {}).claim;
  check.arms = source.golden.arms;
  judged.push_back({"golden", "golden", check, result});
}

void compare(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
             const StoredGolden& golden, DriftMode drift) {
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
    for (GoldenResult& found : verify_golden(golden, arms, claims_on_golden(source))) {
      if (found.result.verdict == Verdict::drift && drift == DriftMode::fail) {
        found.result.passed = false;
        found.result.sentence += "; --drift fail makes that a failure";
      }
      judged.push_back(golden_check(found.arm, found.quantity, std::move(found.result)));
    }
  } catch (const UserError& error) {
    add_to_all_golden_arms(judged, source, plain_result(false, Verdict::missing, error.what()));
  }
}

/// What is stored differs from this run, and nobody said why it may: the differences, and how to bless them.
void refuse_to_change(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                      const StoredGolden& golden) {
  compare(judged, source, evidence, golden, DriftMode::notice);
  add_to_all_golden_arms(
      judged, source,
      plain_result(false, Verdict::different,
                   fmt::format("{} holds other values and was left as it is (values that change need a "
                               "reason for those who review them); if the new ones are right: {}",
                               path_from_here(source.golden_file),
                               shell_quote({"parity", "golden", "record", path_from_here(source.file),
                                            "--reason", "WHY THEY CHANGED"}))));
}

/// The arms that are not as their golden has them, and how they stand.
struct Departures {
  std::vector<std::string> drifted, different;

  std::vector<std::string> all() const {
    std::vector<std::string> names = different;
    names.insert(names.end(), drifted.begin(), drifted.end());
    return names;
  }
};

Departures departures_of(const StoredGolden& golden, const std::map<std::string, ArmEvidence>& arms,
                         const std::vector<Check>& claims) {
  std::map<std::string, Verdict> worst;
  for (const GoldenResult& found : verify_golden(golden, arms, claims)) {
    if (found.arm.empty())  // the file is damaged
      continue;
    Verdict& verdict = worst.try_emplace(found.arm, Verdict::identical).first->second;
    verdict = std::max(verdict, found.result.verdict);
  }
  Departures departures;
  for (const auto& [arm, verdict] : worst)
    if (verdict != Verdict::identical)
      (verdict == Verdict::drift ? departures.drifted : departures.different).push_back(arm);
  return departures;
}

/// \param changed  which arms, where not all of them
std::string recording_words(Recording recording, const std::string& file, const std::string& changed,
                            const GoldenPolicy& policy) {
  switch (recording) {
    case Recording::first:
      return file + " was recorded";
    case Recording::changed:
      return fmt::format("{} was recorded again{}: {} (review it with: parity golden diff HEAD)", file,
                         changed, policy.reason);
    case Recording::other_config:
      return file + " holds the same values and was recorded again, with the config as it is now";
    case Recording::unchanged:
      break;
  }
  return file + (policy.mode == GoldenMode::update_all ? " holds the same values and was written anew"
                                                       : " holds these values already");
}

GoldenOrigin origin_of(const Case& source, const GoldenPolicy& policy) {
  GoldenOrigin origin = policy.origin;
  origin.case_name = source.name;
  // Not the command line as typed: it names folders of whoever recorded, and cases that are not in this file.
  origin.command = "parity golden record " + source.name;
  return origin;
}

/// Keeps what drifted beside what is stored; refuses where anything is more than drift.
void record_as_variant(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                       const StoredGolden& golden, const GoldenPolicy& policy) {
  const std::string file = path_from_here(source.golden_file);
  const Departures departures =
      departures_of(golden, evidence.arms(source.golden.arms), claims_on_golden(source));
  const auto tell = [&](bool passed, Verdict verdict, const std::string& sentence) {
    add_to_all_golden_arms(judged, source, plain_result(passed, verdict, sentence));
  };
  if (!golden.golden || !golden.golden->intact())
    return tell(
        false, Verdict::missing,
        golden.golden ? damage_text(*golden.golden, golden.file) : golden.problem + "; a variant varies one");
  if (!departures.different.empty()) {
    compare(judged, source, evidence, golden, DriftMode::notice);
    return tell(
        false, Verdict::different,
        fmt::format("{} keeps no variant: {} differ{} by more than drift (a variant is the same "
                    "computation in another environment)",
                    file, list_text(departures.different), departures.different.size() == 1 ? "s" : ""));
  }
  if (departures.drifted.empty())
    return tell(true, Verdict::identical, file + " holds these values already");
  if (policy.reason.empty())
    return tell(
        false, Verdict::drift,
        fmt::format("{} was left as it is ({} drifted; a variant needs a reason for those who review it); "
                    "add --reason",
                    file, list_text(departures.drifted)));
  record_variant(source.golden_file, origin_of(source, policy), evidence.arms(departures.drifted),
                 policy.reason);
  tell(true, Verdict::drift,
       fmt::format("{} keeps a variant of {} for this environment: {}", file, list_text(departures.drifted),
                   policy.reason));
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
  if (policy.variant)
    return record_as_variant(judged, source, evidence, golden, policy);
  const auto arms = evidence.arms(source.golden.arms);
  if (recording_of(source.golden_file, arms) == Recording::changed && policy.reason.empty())
    return refuse_to_change(judged, source, evidence, golden);
  const std::vector<std::string> changed = departures_of(golden, arms, claims_on_golden(source)).all();
  const bool some = golden.golden && changed.size() < arms.size();
  const Recording recording =
      record_golden(source.golden_file, origin_of(source, policy), arms, policy.reason,
                    policy.mode == GoldenMode::update_all ? Rewrite::always : Rewrite::when_changed);
  add_to_all_golden_arms(
      judged, source,
      plain_result(
          true, Verdict::identical,
          recording_words(recording, file, some ? " (only " + list_text(changed) + ")" : "", policy)));
}

}  // namespace

bool will_record(const Case& source, GoldenMode mode) {
  if (source.golden.arms.empty() || mode == GoldenMode::compare)
    return false;
  return mode != GoldenMode::create_missing || !fs::exists(source.golden_file) ||
         holds_floors_alone(source.golden_file);
}

std::vector<Check> claims_on_golden(const Case& source) {
  std::vector<Check> claims;
  std::copy_if(source.checks.begin(), source.checks.end(), std::back_inserter(claims),
               [](const Check& check) { return check.against == Against::golden; });
  return claims;
}

std::vector<JudgedCheck> judge_case(const PlannedCase& planned, const Evidence& evidence,
                                    const StoredGolden& golden, const GoldenPolicy& policy) {
  const Case& source = planned.source;
  std::vector<JudgedCheck> judged;
  std::map<std::string, ArmEvidence> arms = evidence.arms();
  attach_floors(arms, source, golden);
  const bool records = will_record(source, policy.mode);
  for (const Check& check : source.checks)
    if (check.against == Against::golden)
      judged.push_back(
          {"golden", check.quantity(), check,
           records ? not_yet_stored(check) : judge_against_golden(check, golden, arms.at(check.arms[0]))});
    else
      judged.push_back({"pair", check.quantity(), check, judge_pair(check, planned, arms)});
  add_training_checks(judged, source, evidence);
  add_replica_checks(judged, source, evidence);
  if (records)
    record(judged, source, evidence, golden, policy);
  else if (!source.golden.arms.empty())
    compare(judged, source, evidence, golden, policy.drift);
  return judged;
}

std::string window_words(const StepWindow& window) {
  if (window.kind != StepWindow::Kind::range)
    return std::string(name_of(window.kind));
  return window.first == window.last ? std::to_string(window.first)
                                     : fmt::format("{}-{}", window.first, window.last);
}

}  // namespace parity
