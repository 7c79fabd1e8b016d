// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/record_case.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/files/leftovers.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/suite/judge/judge_golden.hpp"
#include "harness/suite/judge/standing_evidence.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Adds the differences between stored values and this run, which may not change without a reason, and says
/// how to accept them.
void refuse_to_change(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                      const golden::StoredGolden& golden) {
  judge_golden(judged, source, evidence, golden, golden::DriftMode::notice);
  add_golden_finding(
      judged, source, false, compare::Verdict::different,
      fmt::format(
          "golden {} differs from this run and was not updated; to accept the new values: {}",
          path_from_here(source.golden_file),
          shell_quote({"parity", "golden", "record", path_from_here(source.file), "--reason", "WHY"})));
}

/// The arms that differ from their golden, and how they differ.
struct Departures {
  std::vector<std::string> drifted, different;

  std::vector<std::string> all() const {
    std::vector<std::string> names = different;
    names.insert(names.end(), drifted.begin(), drifted.end());
    return names;
  }
};

Departures departures_of(const golden::StoredGolden& golden,
                         const std::map<std::string, compare::ArmEvidence>& arms,
                         const std::vector<compare::Check>& claims) {
  std::map<std::string, compare::Verdict> worst;
  for (const golden::GoldenResult& found : verify_golden(golden, arms, claims)) {
    if (found.arm.empty())  // the file is damaged
      continue;
    compare::Verdict& verdict = worst.try_emplace(found.arm, compare::Verdict::identical).first->second;
    verdict = std::max(verdict, found.result.verdict);
  }
  Departures departures;
  for (const auto& [arm, verdict] : worst)
    if (verdict != compare::Verdict::identical)
      (verdict == compare::Verdict::drift ? departures.drifted : departures.different).push_back(arm);
  return departures;
}

/// Returns what was recorded, in words.
/// \param changed  the arms that were recorded, if not all
std::string describe_recording(golden::Recording recording, const std::string& file,
                               const std::string& changed, const GoldenPolicy& policy) {
  switch (recording) {
    case golden::Recording::first:
      return file + " was recorded";
    case golden::Recording::changed:
      return fmt::format("{} was recorded again{}: {} (review it with: parity golden diff HEAD)", file,
                         changed, policy.reason);
    case golden::Recording::other_config:
      return file + " holds the same values and was recorded again with the current config";
    case golden::Recording::evidence:
      return file + " holds these values already, and its evidence of float64 twins was renewed";
    case golden::Recording::unchanged:
      break;
  }
  return file + (policy.mode == golden::GoldenMode::update_all ? " holds the same values and was rewritten"
                                                               : " holds these values already");
}

golden::GoldenOrigin origin_of(const Case& source, const GoldenPolicy& policy) {
  golden::GoldenOrigin origin = policy.origin;
  origin.case_name = source.name;
  // Not the command line as typed, which may name private folders and other cases.
  origin.command = "parity golden record " + source.name;
  return origin;
}

/// Records drifted values as a variant next to the stored ones. Refuses any difference that is more than
/// drift.
void record_as_variant(std::vector<JudgedCheck>& judged, const Case& source, const Evidence& evidence,
                       const golden::StoredGolden& golden, const GoldenPolicy& policy,
                       const golden::EvidenceToKeep& fresh) {
  const std::string file = path_from_here(source.golden_file);
  const Departures departures =
      departures_of(golden, evidence.arms(source.golden.arms), claims_on_golden(source));
  const auto report = [&](bool passed, compare::Verdict verdict, const std::string& sentence) {
    add_golden_finding(judged, source, passed, verdict, sentence);
  };
  if (!golden.golden)
    return report(false, compare::Verdict::missing,
                  golden.problem + (golden.damaged ? "" : "; a variant needs one"));
  if (!departures.different.empty()) {
    judge_golden(judged, source, evidence, golden, golden::DriftMode::notice);
    return report(
        false, compare::Verdict::different,
        fmt::format(
            "golden {} was not given a variant ({} differ{} by more than drift); a variant must be the "
            "same computation in another environment",
            file, compare::list_text(departures.different), departures.different.size() == 1 ? "s" : ""));
  }
  if (departures.drifted.empty()) {
    const bool news = record_evidence(source.golden_file, evidence.arms(source.golden.arms), fresh);
    return report(true, compare::Verdict::identical,
                  describe_recording(news ? golden::Recording::evidence : golden::Recording::unchanged, file,
                                     "", policy));
  }
  if (policy.reason.empty())
    return report(
        false, compare::Verdict::drift,
        fmt::format("golden {} was not updated ({} drifted, and a variant needs a reason); add --reason",
                    file, compare::list_text(departures.drifted)));
  record_variant(source.golden_file, origin_of(source, policy), evidence.arms(departures.drifted),
                 policy.reason);
  record_evidence(source.golden_file, evidence.arms(source.golden.arms), fresh);
  report(true, compare::Verdict::drift,
         fmt::format("{} now has a variant of {} for this environment: {}", file,
                     compare::list_text(departures.drifted), policy.reason));
}

/// Returns the evidence of the twins of this case's runs, for checks that hold.
golden::EvidenceToKeep evidence_to_keep(const std::vector<JudgedCheck>& judged, const PlannedCase& planned,
                                        const Evidence& evidence,
                                        const std::map<std::string, RunResult>& runs,
                                        const golden::GoldenOrigin& producer) {
  golden::EvidenceToKeep kept;
  for (const JudgedCheck& each : judged)
    if (each.kind == results::CheckKind::pair && each.result.passed && each.result.twins && !each.stored)
      kept.fresh.push_back(
          {each.claim, each.result.verdict, number_of(each.result.measured.value("collapse_log2", Json())),
           *each.result.twins, evidence_origin(each.claim, planned, evidence, runs, producer)});
  kept.other_arms = evidence.arms();
  for (const std::string& name : planned.source.golden.arms)
    kept.other_arms.erase(name);
  return kept;
}

}  // namespace

bool will_record(const Case& source, golden::GoldenMode mode) {
  if (source.golden.arms.empty() || mode == golden::GoldenMode::compare)
    return false;
  return mode != golden::GoldenMode::create_missing || !fs::exists(source.golden_file) ||
         golden::holds_floors_alone(source.golden_file);
}

void record_case(std::vector<JudgedCheck>& judged, const PlannedCase& planned, const Evidence& evidence,
                 const std::map<std::string, RunResult>& runs, const golden::StoredGolden& golden,
                 const GoldenPolicy& policy) {
  const Case& source = planned.source;
  const std::string file = path_from_here(source.golden_file);
  const auto failed =
      std::count_if(judged.begin(), judged.end(), [](const JudgedCheck& j) { return !j.result.passed; });
  if (failed > 0)
    return add_golden_finding(
        judged, source, false, compare::Verdict::missing,
        fmt::format("{} was not recorded, because {} of the case's checks failed", file, failed));
  remove_leftovers(source.golden_file.parent_path());
  const golden::EvidenceToKeep fresh = evidence_to_keep(judged, planned, evidence, runs, policy.origin);
  if (policy.variant)
    return record_as_variant(judged, source, evidence, golden, policy, fresh);
  const auto arms = evidence.arms(source.golden.arms);
  if (golden::recording_of(source.golden_file, arms) == golden::Recording::changed && policy.reason.empty())
    return refuse_to_change(judged, source, evidence, golden);
  const std::vector<std::string> changed = departures_of(golden, arms, claims_on_golden(source)).all();
  const bool some = golden.golden && changed.size() < arms.size();
  const golden::Recording recording = record_golden(
      source.golden_file, origin_of(source, policy), arms, policy.reason,
      policy.mode == golden::GoldenMode::update_all ? golden::Rewrite::always : golden::Rewrite::when_changed,
      fresh);
  add_golden_finding(
      judged, source, true, compare::Verdict::identical,
      describe_recording(recording, file, some ? " (only " + compare::list_text(changed) + ")" : "", policy));
}

}  // namespace parity::suite
