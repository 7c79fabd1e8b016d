// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_outcome.hpp"

#include <algorithm>
#include <functional>

#include "harness/base/json/fields.hpp"
namespace parity::suite {
namespace {

ExitCode code_of_verdict(compare::Verdict verdict) {
  return verdict == compare::Verdict::crashed   ? ExitCode::crashed
         : verdict == compare::Verdict::missing ? ExitCode::missing
                                                : ExitCode::differ;
}

}  // namespace

ExitCode more_severe(ExitCode a, ExitCode b) {
  for (const ExitCode code : {ExitCode::crashed, ExitCode::bad_input, ExitCode::differ, ExitCode::missing})
    if (a == code || b == code)
      return code;
  return ExitCode::agree;
}

ExitCode exit_code_of_case(const std::vector<results::FailureKind>& failures,
                           const std::vector<compare::Verdict>& verdicts) {
  ExitCode code = ExitCode::agree;
  for (const results::FailureKind kind : failures)
    code = more_severe(code, meaning_of(kind).exit_code);
  if (failures.empty())
    for (const compare::Verdict verdict : verdicts)
      code = more_severe(code, code_of_verdict(verdict));
  return code;
}

compare::Verdict failed_verdict_of(std::string_view name) {
  return enum_or(name, compare::Verdict::different);
}

CaseOutcome outcome_of(const results::Case& item) {
  CaseOutcome outcome;
  outcome.skipped = !item.skipped.empty();
  // A case without checks has shown nothing, even if it says that it passed.
  outcome.passed = item.passed && (outcome.skipped || !item.checks.empty());
  std::vector<results::FailureKind> failures;
  std::vector<compare::Verdict> verdicts;
  for (const results::Arm& arm : item.arms) {
    if (arm.status != results::ArmStatus::complete)
      failures.push_back(arm.failure ? arm.failure->kind : results::FailureKind::crashed);
    for (const std::string& run : {arm.run, arm.twin})
      if (!run.empty())
        outcome.runs.push_back(run);
  }
  for (const results::Check& check : item.checks) {
    ++outcome.by_verdict[check.verdict];
    outcome.checks_on_twins += check.evidence ? 1 : 0;
    outcome.checks_on_stored_evidence += check.evidence && check.evidence->stored() ? 1 : 0;
    if (!check.passed)
      verdicts.push_back(failed_verdict_of(check.verdict));
  }
  outcome.checks_failed = static_cast<int64_t>(verdicts.size());
  outcome.code = outcome.skipped ? ExitCode::agree : exit_code_of_case(failures, verdicts);
  if (!outcome.passed && !outcome.skipped && outcome.code == ExitCode::agree)
    outcome.code = ExitCode::differ;
  return outcome;
}

int64_t count_failed(const std::vector<CaseOutcome>& cases) {
  return std::count_if(cases.begin(), cases.end(),
                       [](const CaseOutcome& item) { return !item.passed && !item.skipped; });
}

Json summary_of(const std::vector<CaseOutcome>& cases, const std::map<std::string, RunResult>& runs) {
  int64_t checks = 0, checks_failed = 0, on_twins = 0, on_stored = 0;
  std::map<std::string, int64_t> by_verdict;
  for (const CaseOutcome& item : cases) {
    checks_failed += item.checks_failed;
    on_twins += item.checks_on_twins;
    on_stored += item.checks_on_stored_evidence;
    for (const auto& [verdict, number] : item.by_verdict) {
      checks += number;
      by_verdict[verdict] += number;
    }
  }
  const auto cached =
      std::count_if(runs.begin(), runs.end(), [](const auto& entry) { return entry.second.cached; });
  const auto ended = std::count_if(runs.begin(), runs.end(), [](const auto& entry) {
    return !entry.second.failure || entry.second.failure->kind != results::FailureKind::interrupted;
  });
  const auto total = static_cast<int64_t>(cases.size());
  const auto skipped = std::count_if(cases.begin(), cases.end(), std::mem_fn(&CaseOutcome::skipped));
  const int64_t failed = count_failed(cases);
  return {{"cases", total},
          {"passed", total - failed - skipped},
          {"failed", failed},
          {"skipped", skipped},
          {"checks", checks},
          {"checks_failed", checks_failed},
          {"checks_on_twins", on_twins},
          {"checks_on_stored_evidence", on_stored},
          {"runs", ended},
          {"runs_cached", cached},
          {"by_verdict", by_verdict}};
}

ExitCode exit_code_of(const std::vector<CaseOutcome>& cases, Part part) {
  if (part == Part::whole && !cases.empty() &&
      std::all_of(cases.begin(), cases.end(), std::mem_fn(&CaseOutcome::skipped)))
    return ExitCode::missing;
  ExitCode code = ExitCode::agree;
  for (const CaseOutcome& item : cases)
    code = more_severe(code, item.code);
  return code;
}

results::Check golden_finding(const std::string& id, const std::string& quantity, compare::Verdict verdict,
                              const std::string& sentence) {
  results::Check check;
  check.id = id;
  check.kind = results::CheckKind::golden;
  check.quantity = quantity;
  check.against = "golden";
  check.relation = "identical";
  check.verdict = name_of(verdict);
  check.sentence = sentence;
  return check;
}

results::Case suite_failure(const std::string& name, const std::string& title, const std::string& question,
                            const std::string& sentence, const std::vector<results::Check>& checks) {
  results::Case item;
  item.name = name;
  item.title = title;
  item.question = question;
  item.verdict = checks.front().verdict;
  item.sentence = sentence;
  item.checks = checks;
  item.reproduce = "parity golden verify";
  return item;
}

}  // namespace parity::suite
