// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/standing_evidence.hpp"

#include <algorithm>

#include "harness/base/json/fields.hpp"
#include "harness/suite/judge/case_floors.hpp"

namespace parity::suite {
namespace {

bool may_rest_on_evidence(const Case& source, const compare::Check& check) {
  return check.needs_twins() && check.against == compare::Against::arm && source.settings.empty() &&
         std::ranges::all_of(check.all_arms(), [&](const std::string& name) {
           const Arm& arm = source.arm(name);
           return arm.stands_for.empty() && arm.faults.empty() && arm.span.is_whole();
         });
}

/// Returns the environment in words: "cpu_vendor AuthenticAMD, torch 2.11.0".
std::string environment_text(const trace::Trace& trace) {
  const Json fingerprint = golden::fingerprint_of(trace);
  std::string text;
  for (const auto& [key, value] : fingerprint.items())
    text += (text.empty() ? "" : ", ") + key + " " +
            (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

}  // namespace

StandingEvidence standing_evidence(const PlannedCase& planned, const Evidence& evidence,
                                   const golden::StoredGolden& golden) {
  StandingEvidence standing;
  const Case& source = planned.source;
  if (!golden.golden || golden.golden->evidence.records.empty())
    return standing;
  std::map<std::string, compare::ArmEvidence> arms = evidence.arms();
  attach_floors(arms, source, golden);
  for (size_t i = 0; i < source.checks.size(); ++i) {
    const compare::Check& check = source.checks[i];
    const auto binding =
        may_rest_on_evidence(source, check) ? evidence_binding(check, *golden.golden, arms) : std::nullopt;
    const golden::EvidenceRecord* record =
        binding ? find_evidence(golden.golden->evidence, *binding) : nullptr;
    if (!record)
      continue;
    compare::CheckResult result = judge(check, arms, &record->twins);
    if (result.passed && result.verdict == record->verdict)
      standing.emplace(i, StandingCheck{record->origin, std::move(result)});
  }
  return standing;
}

std::vector<std::string> arms_without_evidence(const PlannedCase& planned, const Evidence& evidence,
                                               const StandingEvidence& standing) {
  std::vector<std::string> lacking;
  for (size_t i = 0; i < planned.source.checks.size(); ++i) {
    const compare::Check& check = planned.source.checks[i];
    const std::vector<std::string> arms = check.all_arms();
    const bool crashed =
        std::ranges::any_of(arms, [&](const std::string& name) { return evidence.arms().at(name).crashed; });
    if (!check.needs_twins() || standing.contains(i) || crashed)
      continue;
    for (const std::string& name : arms)
      if (!planned.arm(name).spare_twin.empty() && std::ranges::find(lacking, name) == lacking.end())
        lacking.push_back(name);
  }
  return lacking;
}

golden::EvidenceOrigin evidence_origin(const compare::Check& check, const PlannedCase& planned,
                                       const Evidence& evidence, const std::map<std::string, RunResult>& runs,
                                       const golden::GoldenOrigin& producer) {
  golden::EvidenceOrigin origin;
  origin.producer = producer.producer;
  origin.commit = producer.commit;
  for (const std::string& name : check.all_arms()) {
    const std::string& id = planned.arm(name).twin;
    const trace::Trace* twin = evidence.arms().at(name).twin;
    if (id.empty() || !twin)
      continue;
    const std::string& ended = runs.at(id).ended;
    origin.date = origin.date.empty() ? ended : std::min(origin.date, ended);
    origin.commit = text_or(twin->provenance(), "commit", origin.commit);
    origin.environment = environment_text(*twin);
    origin.runs.push_back(id);
  }
  return origin;
}

}  // namespace parity::suite
