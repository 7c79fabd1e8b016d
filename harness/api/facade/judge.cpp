// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/include/parity/judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "harness/api/facade/inside.hpp"
#include "harness/api/facade/result.hpp"
#include "harness/compare/judge.hpp"
#include "harness/compare/relations/relation.hpp"

namespace parity::api {
namespace {

using facade::same;
using facade::translated;

[[noreturn]] void refuse_check(const Check& check, const std::string& why) {
  throw UserError("cannot judge a check of relation " + std::string(name_of(check.relation)) + " (" + why +
                  "); set its members as parity/check.hpp says");
}

/// Refuses what a case file cannot say either, since the judge does not expect it.
void check_members(const Check& check) {
  const bool of_run = row_of(same<compare::Relation>(check.relation)).subject == compare::Subject::run;
  if (of_run && !(check.channels.empty() && check.tensor.empty()))
    refuse_check(check, "it names channels or a tensor, but is about a run as a whole");
  if (!of_run && check.channels.empty() == check.tensor.empty())
    refuse_check(check, "it names both channels and a tensor, or neither");
  if (check.arms.size() == 2 && check.arms[0] == check.arms[1])
    refuse_check(check, "its two arms are the same");
  if (check.relation == Relation::repeats &&
      (check.arms.size() < 2 || std::set(check.arms.begin(), check.arms.end()).size() < check.arms.size()))
    refuse_check(check, "its arms are not two or more different runs");
  const StepWindow& steps = check.steps;
  if (steps.kind == StepWindow::Kind::range && (steps.first < 1 || steps.last < steps.first))
    refuse_check(check, "its range of steps is empty, or begins before step 1");
  const auto belongs = [&](bool set, Relation relation, const char* member) {
    if (set && check.relation != relation)
      refuse_check(check, std::string(member) + " belongs to " + std::string(name_of(relation)));
  };
  belongs(check.tolerance.has_value(), Relation::bounded, "a tolerance");
  belongs(check.precision.has_value(), Relation::equivalent, "a precision");
  belongs(check.imprecision.has_value(), Relation::equivalent, "an imprecision");
  belongs(!check.sibling.empty(), Relation::no_farther, "a sibling");
  belongs(!check.laws.empty() || !check.departs.empty(), Relation::lawful, "a law");
  if (check.tolerance && !(*check.tolerance > 0 && std::isfinite(*check.tolerance)))
    refuse_check(check, "its tolerance is not a number above 0");
  if (check.precision && *check.precision != DType::bfloat16 && *check.precision != DType::float16)
    refuse_check(check, "its precision is neither bfloat16 nor float16");
  if (check.imprecision &&
      (!(*check.imprecision > 1 && std::isfinite(*check.imprecision)) || check.imprecision_because.empty()))
    refuse_check(check, "its imprecision is not a number above 1 with a reason");
  if (check.relation == Relation::no_farther &&
      (check.sibling.size() != 2 || check.sibling[0] == check.sibling[1] || check.sibling == check.arms ||
       !(check.sibling_times > 0 && std::isfinite(check.sibling_times))))
    refuse_check(check, "its sibling is not another pair of arms with a factor above 0");
}

compare::Check inner_check(const Check& check) {
  compare::Check inside;
  inside.channels = check.channels;
  inside.tensor = check.tensor;
  inside.phase = same<trace::Phase>(check.phase);
  inside.arms = check.arms;
  inside.relation = same<compare::Relation>(check.relation);
  inside.lag = check.lag;
  inside.tolerance = check.tolerance;
  inside.tolerance_because = check.tolerance_because;
  if (check.precision)
    inside.precision = same<parity::DType>(*check.precision);
  inside.imprecision = check.imprecision;
  inside.imprecision_because = check.imprecision_because;
  if (!check.sibling.empty())
    inside.sibling = compare::Sibling{check.sibling, {}, check.sibling_times};
  inside.laws = check.laws;
  inside.departs = check.departs;
  inside.steps = {same<compare::StepWindow::Kind>(check.steps.kind), check.steps.first, check.steps.last};
  return inside;
}

compare::ArmFloors inner_floors(const std::vector<Floor>& floors) {
  compare::ArmFloors inside;
  inside.config = Json::object();
  for (const Floor& row : floors)
    inside.rows.push_back({row.quantity, row.step, row.scale, {row.noise}});
  std::ranges::stable_sort(inside.rows, {},
                           [](const compare::FloorRow& row) { return std::tie(row.quantity, row.step); });
  return inside;
}

compare::ArmEvidence inner_arm(const Arm& arm, const compare::ArmFloors& floors) {
  compare::ArmEvidence inside;
  inside.trace = arm.trace == nullptr ? nullptr : &TraceAccess::trace_of(*arm.trace);
  inside.twin = arm.twin == nullptr ? nullptr : &TraceAccess::trace_of(*arm.twin);
  inside.crashed = arm.crashed;
  inside.warmup_steps = arm.warmup_steps;
  inside.sixteen_bits = arm.sixteen_bits;
  inside.floors = floors.rows.empty() ? nullptr : &floors;
  if (floors.rows.empty())
    inside.floors_problem = "the arm was given none; set Arm::floors";
  inside.updates = {arm.first_update, arm.last_update};
  inside.ranks = arm.ranks;
  return inside;
}

/// Returns the evidence of an arm's exact twin, which made the updates that it recorded.
compare::ArmEvidence inner_exact(const Arm& arm) {
  compare::ArmEvidence inside;
  inside.trace = &TraceAccess::trace_of(*arm.exact);
  inside.warmup_steps = arm.warmup_steps;
  inside.ranks = arm.ranks;
  return inside;
}

/// Makes every run but the first a repetition of the first. A run without evidence stays out, so that the
/// judge finds too few.
void make_repetitions(compare::Check& claim, std::map<std::string, compare::ArmEvidence>& arms) {
  claim.times = static_cast<int64_t>(claim.arms.size());
  std::vector<compare::Repetition> repetitions;
  for (size_t i = 1; i < claim.arms.size(); ++i)
    if (const auto found = arms.find(claim.arms[i]); found != arms.end())
      repetitions.push_back({claim.arms[i], compare::Condition::none, found->second.trace,
                             found->second.crashed ? claim.arms[i] + " did not finish" : ""});
  claim.arms.resize(1);
  if (const auto first = arms.find(claim.arms.front()); first != arms.end())
    first->second.repetitions = std::move(repetitions);
}

}  // namespace

static_assert(static_cast<int>(StepWindow::Kind::range) ==
              static_cast<int>(compare::StepWindow::Kind::range));

std::string_view name_of(Verdict verdict) {
  return parity::name_of(same<compare::Verdict>(verdict));
}

std::string_view name_of(Relation relation) {
  return parity::name_of(same<compare::Relation>(relation));
}

Relation relation_named(std::string_view name) {
  return translated([&] { return same<Relation>(parse_enum<compare::Relation>(name)); });
}

CheckResult judge(const Check& check, const std::map<std::string, Arm>& arms) {
  return translated([&] {
    check_members(check);
    std::map<std::string, compare::ArmFloors> floors;
    std::map<std::string, compare::ArmEvidence> inside, exact;
    for (const auto& [name, arm] : arms) {
      inside[name] = inner_arm(arm, floors.emplace(name, inner_floors(arm.floors)).first->second);
      if (arm.exact != nullptr)
        inside[name].exact = &(exact[name] = inner_exact(arm));
    }
    compare::Check claim = inner_check(check);
    if (check.relation == Relation::repeats)
      make_repetitions(claim, inside);
    return facade::outer_result(compare::judge(claim, inside));
  });
}

}  // namespace parity::api
