// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/runs.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "harness/base/elapsed.hpp"
#include "harness/suite/cases/read/drop_checks.hpp"
#include "harness/suite/goldens/check.hpp"
#include "harness/suite/judge/case_floors.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity::bisect {
namespace {

Effort effort_of(const suite::ArmRuns& runs) {
  Effort effort;
  for (const auto& [id, result] : runs.runs)
    ++(result.cached ? effort.cached : effort.executed);
  return effort;
}

suite::ExtraArm twin_of(const std::string& arm) {
  return {.of = arm, .suffix = "float64", .config = {{"dtype", "float64"}}};
}

/// Runs the float64 twin of each arm that can have one.
void add_twins(GoldenRuns& made, const suite::RunSettings& options, Progress& progress) {
  std::vector<suite::ExtraArm> wanted;
  for (const auto& [name, evidence] : made.arms)
    if (made.source.arm(name).float64 &&
        suite::text_of(made.runs.planned.arm(name).config, "dtype") != "float64")
      wanted.push_back(twin_of(name));
  if (wanted.empty())
    return;
  made.twins = run_arms(with_extra_arms(made.source, wanted), options, progress);
  for (const suite::ExtraArm& arm : wanted)
    made.arms.at(arm.of).twin = made.twins->evidence.trace(arm.name());
}

}  // namespace

GoldenRuns run_golden_arms(suite::Case source, const std::vector<std::string>& arms,
                           const golden::StoredGolden& golden, const suite::RunSettings& options,
                           Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  source.golden.arms = arms;
  drop_checks_if(source, [&](const compare::Check& check) {
    return std::ranges::find(arms, check.arms.front()) == arms.end();
  });
  source = suite::only_goldens({source}).front();
  suite::ArmRuns runs = run_arms(source, options, progress);
  GoldenRuns made{source, std::move(runs), std::nullopt, {}, {}};
  made.arms = made.runs.evidence.arms(arms);
  attach_floors(made.arms, source, golden);
  made.effort = effort_of(made.runs);
  if (golden_needs_twins(golden, made.arms, claims_on_golden(source))) {
    add_twins(made, options, progress);
    if (made.twins)  // the arms themselves are cached by now
      made.effort.executed += effort_of(*made.twins).executed;
  }
  made.effort.seconds = seconds_since(start);
  return made;
}

}  // namespace parity::bisect
