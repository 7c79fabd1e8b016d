// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judge.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/checks/settle.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/relations/routes.hpp"
#include "harness/compare/sides/asked.hpp"
#include "harness/compare/sides/finite.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {
namespace {

CheckResult without_evidence(Verdict verdict, const std::string& sentence) {
  CheckResult result;
  result.verdict = verdict;
  result.sentence = sentence;
  return result;
}

/// Returns "b did not finish: non_finite at step 3, grad of layers.0.wq.weight".
std::string crash_text(const std::string& name, const ArmEvidence& arm) {
  if (!arm.failure.empty())
    return arm.failure;
  std::string text = name + " did not finish";
  if (!arm.trace)
    return text + " and left no trace";
  if (const auto& failure = arm.trace->failure(); failure && failure->is_object()) {
    const auto word = [&](const char* key) {
      const auto found = failure->find(key);
      return found == failure->end() || found->is_null() ? std::string()
             : found->is_string()                        ? found->get<std::string>()
                                                         : found->dump();
    };
    text += ": " + word("kind");
    if (const std::string step = word("step"); !step.empty())
      text += " at step " + step;
    if (const std::string tensor = word("tensor"); !tensor.empty())
      text += fmt::format(" in {} {}", word("phase"), tensor);
    if (const std::string message = word("message"); !message.empty())
      text += " (" + message + ")";
    return text;
  }
  return text + fmt::format(": its trace ends after step {}", arm.trace->last_step());
}

/// Adds the repetitions of a run that a check of relation `repeats` asks for.
/// \return the result if one of them did not finish
std::optional<CheckResult> add_repetitions(std::vector<Side>& sides, const Check& check,
                                           const ArmEvidence& arm) {
  for (const Repetition& each : arm.repetitions) {
    if (each.under != check.under || static_cast<int64_t>(sides.size()) == check.times)
      continue;
    ArmEvidence again = arm;
    again.trace = each.trace;
    again.failure = each.failure;
    if (!each.failure.empty() || (each.trace && !again.ended_well()))
      return without_evidence(Verdict::crashed, crash_text(each.name, again));
    if (!each.trace)
      return without_evidence(Verdict::missing, fmt::format("{} left no trace", each.name));
    sides.push_back(side_of(each.name, again));
  }
  return std::nullopt;
}

/// Fails a claim about values that are not finite, whatever their bits.
CheckResult only_finite(CheckResult result, const std::vector<Side>& sides) {
  if (const std::string text = non_finite_value(result.coverage, sides); !text.empty()) {
    result.passed = false;
    result.verdict = Verdict::different;
    result.sentence = text + ", which equals nothing; fix the run first";
  }
  return result;
}

}  // namespace

CheckResult judge(const Check& check, const std::map<std::string, ArmEvidence>& arms,
                  const TwinEvidence* stored_twins) {
  const RelationRow& row = row_of(check.relation);
  if (check.arms.size() != row.arms)
    throw UserError(fmt::format(
        "cannot judge relation {} (it takes {} arm{}, but the check names {}; its claim is: {}); correct the "
        "case",
        name_of(check.relation), row.arms, row.arms == 1 ? "" : "s", check.arms.size(), row.claim));
  std::vector<Side> sides;
  for (const std::string& name : check.all_arms()) {
    const auto found = arms.find(name);
    if (found == arms.end())
      return without_evidence(Verdict::missing, fmt::format("the case has no arm '{}'", name));
    if (check.of_exact_twins() && !found->second.exact)
      return without_evidence(Verdict::missing,
                              fmt::format("{} has no exact twin; only arms of parity-train have one", name));
    const ArmEvidence& arm = check.of_exact_twins() ? *found->second.exact : found->second;
    if (arm.crashed || (arm.trace && !arm.ended_well()))
      return without_evidence(Verdict::crashed, crash_text(name, arm));
    if (!arm.trace)
      return without_evidence(Verdict::missing, fmt::format("{} left no trace", name));
    sides.push_back(side_of(name, arm));
    sides.back().stored_twins = stored_twins;
  }
  if (check.relation == Relation::repeats)
    if (auto failed = add_repetitions(sides, check, arms.at(check.arms.front())))
      return *failed;
  try {
    CheckResult result = row.judge(check, sides);
    add_route_agreement(result, check, sides);
    result.coverage.kind = check.covers();
    result = settle(std::move(result), asked_of(check, sides));
    return result.passed ? only_finite(std::move(result), sides) : result;
  } catch (const MissingEvidence& problem) {
    return without_evidence(Verdict::missing, problem.what());
  } catch (const UserError& problem) {  // a part of a trace that cannot be read
    return without_evidence(Verdict::missing, problem.what());
  }
}

}  // namespace parity::compare
