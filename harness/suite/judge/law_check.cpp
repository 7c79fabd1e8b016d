// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/law_check.hpp"

#include <utility>

namespace parity::suite {
namespace {

/// Returns whether no law could be asked. A trace that cannot be read is not such a case.
bool is_silent(const compare::CheckResult& result) {
  return result.measured.value("laws_not_asked", int64_t{0}) > 0 &&
         result.measured.value("laws_holding", int64_t{0}) +
                 result.measured.value("laws_departing", int64_t{0}) ==
             0;
}

}  // namespace

std::optional<JudgedCheck> law_check(const std::string& arm,
                                     const std::map<std::string, compare::ArmEvidence>& arms) {
  const compare::ArmEvidence& evidence = arms.at(arm);
  if (!evidence.ended_well() || !evidence.trace->faults().empty())
    return std::nullopt;
  compare::Check claim;
  claim.arms = {arm};
  claim.relation = compare::Relation::lawful;
  claim.because = "what a training step records follows from the rest of its record, whatever the trainer";
  compare::CheckResult result = judge(claim, arms);
  if (is_silent(result))
    return std::nullopt;
  return JudgedCheck{results::CheckKind::laws, claim.quantity(), claim, std::move(result)};
}

}  // namespace parity::suite
