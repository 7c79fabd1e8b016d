// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/commands/bisect.hpp"

#include <algorithm>
#include <vector>

#include "harness/base/processes/process.hpp"
#include "harness/suite/plan/traces_read.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

bool finished(const PlannedCase& planned, const std::vector<std::string>& names,
              const std::map<std::string, RunResult>& runs) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    const auto arm = std::ranges::find(planned.arms, name, &PlannedArm::name);
    return arm != planned.arms.end() && runs.at(arm->run).complete();
  });
}

/// Returns whether a check claims that its arms agree, so that a search for the first differing bit helps.
bool claims_agreement(const compare::Check& claim) {
  return claim.arms.size() == 2 &&
         (claim.relation == compare::Relation::identical || claim.relation == compare::Relation::equivalent ||
          claim.relation == compare::Relation::bounded || claim.relation == compare::Relation::same_function);
}

/// Returns the command that searches what the two runs recorded. It needs no further run.
Words traces_command(const Case& source, const compare::Check& claim) {
  if (claim.relation == compare::Relation::same_function)
    return {};  // the exact twins differ, not these runs
  return {"parity", "bisect", "traces", source.name + ":" + claim.arms[0], source.name + ":" + claim.arms[1]};
}

Words pair_command(const Case& source, const compare::Check& claim) {
  if (claim.of_operator)
    return {"parity", "bisect", source.file.generic_string()};
  if (!claims_agreement(claim))
    return {};
  if (!reason_not_rerun(source.arm(claim.arms[0]), source.arm(claim.arms[1])).empty())
    return traces_command(source, claim);
  Words words = {"parity", "bisect", source.file.generic_string() + ":" + claim.arms[0], claim.arms[1]};
  for (const std::string& setting : source.settings)
    words.insert(words.end(), {"--set", setting});
  if (claim.relation == compare::Relation::same_function)
    words.emplace_back("--exact");
  return words;
}

Words golden_command(const Case& source, const compare::Check& claim) {
  std::error_code error;
  if (claim.arms.size() != 1 || !fs::exists(source.golden_file, error))
    return {};
  return {"parity", "bisect", "golden", source.file.generic_string() + ":" + claim.arms[0]};
}

}  // namespace

std::string reason_not_rerun(const Arm& a, const Arm& b) {
  for (const Arm* arm : {&a, &b})
    if (arm->config.contains(replay_key) || std::ranges::any_of(arm->command, [](const auto& word) {
          return word.find("{trace:") != std::string::npos;
        }))
      return "arm " + arm->name + " reads the trace of another arm ({trace:...}), which is not run here";
  return "";
}

std::string reason_not_switched(const Arm& a, const Arm& b) {
  if (a.is_command() != b.is_command())
    return "arm " + (a.is_command() ? a.name : b.name) + " is a command and arm " +
           (a.is_command() ? b.name : a.name) +
           " is not (an option is a key that one program reads, and these are two programs)";
  if (a.command != b.command || a.inputs != b.inputs || a.ranks != b.ranks ||
      a.states_ranks != b.states_ranks || a.names != b.names)
    return "arms " + a.name + " and " + b.name +
           " are different commands (they differ in no config key, so there is nothing to switch)";
  return reason_not_rerun(a, b);
}

std::string bisect_command(const PlannedCase& planned, const JudgedCheck& judged,
                           const std::map<std::string, RunResult>& runs, const fs::path& out) {
  const compare::Check& claim = judged.claim;
  const compare::Verdict verdict = judged.result.verdict;
  const bool differs = verdict == compare::Verdict::different || verdict == compare::Verdict::imprecise ||
                       verdict == compare::Verdict::rounding;
  if (judged.result.passed || !differs || !finished(planned, claim.arms, runs))
    return "";
  Words words;
  if (judged.kind == results::CheckKind::pair)
    words = pair_command(planned.source, claim);
  else if (judged.kind == results::CheckKind::golden)
    words = golden_command(planned.source, claim);
  if (words.empty())
    return "";
  add_out_option(words, out);
  return shell_quote(words);
}

}  // namespace parity::suite
