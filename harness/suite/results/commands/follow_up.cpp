// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/commands/follow_up.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/judge/replica_check.hpp"
#include "harness/suite/results/commands/reproduce.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

/// Returns the first run of the check that did not finish; null if all finished.
const RunResult* failed_run(const PlannedCase& planned, const JudgedCheck& judged,
                            const std::map<std::string, RunResult>& runs) {
  const std::vector<std::string>& names = judged.claim.arms;
  for (const PlannedArm& arm : planned.arms)  // a golden may name arms that the case does not have
    for (const std::string& id : {arm.run, arm.twin, judged.claim.of_exact_twins() ? arm.exact : ""})
      if (std::find(names.begin(), names.end(), arm.name) != names.end() && !id.empty() &&
          !runs.at(id).complete())
        return &runs.at(id);
  return nullptr;
}

Words log_command(const PlannedCase& planned, const RunResult& run, const fs::path& out) {
  if (run.log.empty())
    return reproduce_command(planned.source, out);
  return {"tail", "-n", "100", run.log.string()};
}

Words golden_diff_or_record(const PlannedCase& planned) {
  const bool stored = fs::exists(planned.source.golden_file);
  Words words = {"parity", "golden", stored ? "diff" : "record"};
  words.push_back(planned.source.file.generic_string());
  return words;
}

/// Returns the arm to compare with for a claim about one arm: the reference, or else the first other arm.
std::string other_arm(const PlannedCase& planned, const std::string& arm) {
  if (arm != planned.source.reference)
    return planned.source.reference;
  for (const PlannedArm& candidate : planned.arms)
    if (candidate.name != arm)
      return candidate.name;
  return arm;
}

Words compare_command(const PlannedCase& planned, const JudgedCheck& judged) {
  const compare::Check& claim = judged.claim;
  Words words = {"parity", "compare"};
  for (const std::string& arm : claim.arms)
    words.push_back(planned.source.name + ":" + arm);
  if (claim.arms.size() == 1)
    words.push_back(planned.source.name + ":" + other_arm(planned, claim.arms.front()));
  const auto& worst = judged.result.worst;
  if (claim.of_tensors()) {
    words.insert(words.end(), {"--phase", std::string(name_of(claim.phase)), "--tensor",
                               worst && !worst->quantity.empty() ? worst->quantity : claim.tensor});
  } else {
    for (const std::string& channel : claim.channels)
      if (!worst || worst->quantity.empty() || worst->quantity == channel)
        words.insert(words.end(), {"--channel", channel});
  }
  if (worst && worst->step > 0 &&
      claim.relation != compare::Relation::lagged)  // the other arm has a different step
    words.insert(words.end(), {"--step", std::to_string(worst->step)});
  return words;
}

bool ran_exact_twins(const PlannedCase& planned, const compare::Check& claim) {
  return std::ranges::none_of(claim.arms,
                              [&](const std::string& arm) { return planned.arm(arm).exact.empty(); });
}

/// Returns the command that lists the tensors of both exact twins.
Words compare_twins_command(const PlannedCase& planned, const JudgedCheck& judged,
                            const std::map<std::string, RunResult>& runs) {
  Words words = {"parity", "compare"};
  for (const std::string& arm : judged.claim.arms)
    words.push_back(runs.at(planned.arm(arm).exact).folder.string());
  if (judged.result.worst)
    words.insert(words.end(), {"--step", std::to_string(judged.result.worst->step)});
  return words;
}

/// Returns the command that repeats the run more often.
Words repeat_command(const PlannedCase& planned, const compare::Check& claim) {
  Words words = {"parity", "repeat", planned.source.file.generic_string() + ":" + claim.arms.front(),
                 "--times", "20"};
  if (claim.under != compare::Condition::none)
    words.insert(words.end(), {"--under", std::string(name_of(claim.under))});
  for (const std::string& setting : planned.source.settings)
    words.insert(words.end(), {"--set", setting});
  return words;
}

const RunResult& run_of(const PlannedCase& planned, const std::string& arm,
                        const std::map<std::string, RunResult>& runs) {
  const auto found = std::find_if(planned.arms.begin(), planned.arms.end(),
                                  [&](const PlannedArm& candidate) { return candidate.name == arm; });
  require(found != planned.arms.end(), "no arm " + arm);
  return runs.at(found->run);
}

}  // namespace

std::string follow_up_command(const PlannedCase& planned, const JudgedCheck& judged,
                              const std::map<std::string, RunResult>& runs, const fs::path& out) {
  if (const RunResult* failed = failed_run(planned, judged, runs))
    return shell_quote(log_command(planned, *failed, out));
  if (judged.kind == results::CheckKind::replicas)
    return shell_quote(
        judged.result.passed
            ? reproduce_command(planned.source, out)
            : replica_command(judged, run_of(planned, judged.claim.arms.front(), runs).folder));
  if (judged.claim.of_operator)
    return shell_quote(reproduce_command(planned.source, out));
  if (judged.claim.relation == compare::Relation::repeats)
    return shell_quote(repeat_command(planned, judged.claim));
  if (judged.claim.of_exact_twins() && ran_exact_twins(planned, judged.claim))
    return shell_quote(compare_twins_command(planned, judged, runs));
  Words words = judged.kind == results::CheckKind::golden ? golden_diff_or_record(planned)
                : judged.claim.relation == compare::Relation::lawful
                    ? Words{"parity", "audit", planned.source.name + ":" + judged.claim.arms.front()}
                    : compare_command(planned, judged);
  add_out_option(words, out);
  return shell_quote(words);
}

}  // namespace parity::suite
