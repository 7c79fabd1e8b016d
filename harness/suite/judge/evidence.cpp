// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/evidence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/twins/rounding_size.hpp"
#include "harness/suite/cases/precision.hpp"
#include "harness/suite/judge/given_config.hpp"
#include "harness/suite/judge/renaming.hpp"

namespace parity::suite {
namespace {

/// Returns the loss of precision that the checks of a case allow for one of its arms. A check states it for
/// its second arm. The first is the reference, which usually computes in float32.
compare::PrecisionAllowance allowance_for(const Case& source, const std::string& arm) {
  compare::PrecisionAllowance allowance;
  for (const compare::Check& check : source.checks) {
    if (check.arms.size() != 2 || check.arms.back() != arm)
      continue;
    const compare::RoundingModel stated = compare::rounding_model(check.precision.value_or(DType::float32));
    allowance.dtype = wider_allowance(compare::rounding_model(allowance.dtype), stated).dtype;
    allowance.factor = std::max(allowance.factor, check.imprecision.value_or(1));
  }
  return allowance;
}

/// Returns "a, run 2" or "a, run 2 under load". The arm's own run is the first.
std::string describe_repetition(const std::string& arm, const PlannedRepetition& which) {
  const std::string condition =
      which.under == compare::Condition::none ? "" : fmt::format(" under {}", name_of(which.under));
  return fmt::format("{}, run {}{}", arm, which.number + 1, condition);
}

}  // namespace

Evidence::Evidence(const PlannedCase& planned, const std::map<std::string, RunResult>& results,
                   const RunStore& store) {
  for (const PlannedArm& arm : planned.arms) {
    const Arm& source = planned.source.arm(arm.name);
    compare::ArmEvidence& evidence = arms_[arm.name];
    evidence.warmup_steps = arm.warmup_steps;
    evidence.resolved = arm.resolved;
    evidence.updates = updates_of_run(arm.config, source.is_command() ? RunSpan{} : source.span);
    evidence.ranks = arm.ranks;
    evidence.given = given_config(planned.source, arm);
    evidence.sixteen_bits = computes_in_16_bits(arm.config);
    evidence.allowance = allowance_for(planned.source, arm.name);
    evidence.trace = open(arm.run, source, results, store);
    evidence.failure = failure_of(arm.run, evidence.trace, results);
    if (!arm.twin.empty()) {
      evidence.twin = open(arm.twin, source, results, store);
      if (evidence.failure.empty())
        evidence.failure = failure_of(arm.twin, evidence.twin, results);
    }
    for (const PlannedRepetition& each : arm.repetitions) {
      compare::Repetition repetition{describe_repetition(arm.name, each), each.under, nullptr, ""};
      repetition.trace = open(each.id, source, results, store);
      repetition.failure = failure_of(each.id, repetition.trace, results);
      evidence.repetitions.push_back(std::move(repetition));
    }
    if (!arm.exact.empty())
      evidence.exact = &(exact_[arm.name] = exact_evidence(planned, arm, results, store));
    evidence.crashed = !evidence.failure.empty();
    // If the trace itself records its failure (a non-finite number), that message is better.
    if (evidence.trace && evidence.trace->failure())
      evidence.failure.clear();
  }
}

compare::ArmEvidence Evidence::exact_evidence(const PlannedCase& planned, const PlannedArm& arm,
                                              const std::map<std::string, RunResult>& results,
                                              const RunStore& store) {
  compare::ArmEvidence twin;
  twin.warmup_steps = arm.warmup_steps;
  twin.ranks = arm.ranks;
  twin.trace = open(arm.exact, planned.source.arm(arm.name), results, store);
  twin.failure = failure_of(arm.exact, twin.trace, results);
  twin.crashed = !twin.failure.empty();
  twin.updates = {1, arm.exact_updates};
  return twin;
}

const trace::Trace* Evidence::open(const std::string& run, const Arm& arm,
                                   const std::map<std::string, RunResult>& results, const RunStore& store) {
  if (const auto known = traces_.find(run); known != traces_.end())
    return known->second.get();
  std::unique_ptr<trace::Trace>& trace = traces_[run];
  try {
    trace = std::make_unique<trace::Trace>(trace::Trace::open(store.folder(run)));
    if (!arm.names.empty())
      trace->rename_tensors(Renaming(arm.names));
  } catch (const UserError& error) {
    trace.reset();
    if (results.at(run).complete())  // a failed run has its own reason, and may have no trace
      problems_[run] = error.what();
  }
  return trace.get();
}

std::string Evidence::failure_of(const std::string& run, const trace::Trace* trace,
                                 const std::map<std::string, RunResult>& results) const {
  const RunResult& result = results.at(run);
  if (!result.complete())
    return result.failure ? result.failure->message : "run " + run + " did not finish";
  return trace ? "" : problem(run);
}

std::string Evidence::problem(const std::string& run) const {
  const auto found = problems_.find(run);
  return found == problems_.end() ? "" : found->second;
}

std::map<std::string, compare::ArmEvidence> Evidence::arms(const std::vector<std::string>& names) const {
  std::map<std::string, compare::ArmEvidence> chosen;
  for (const std::string& name : names)
    chosen[name] = arms_.at(name);
  return chosen;
}

}  // namespace parity::suite
