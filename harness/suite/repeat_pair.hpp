// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/traces/first_divergence.hpp"
#include "harness/compare/traces/recurrence.hpp"
#include "harness/suite/judge/judged_check.hpp"
#include "harness/suite/plan/planned_case.hpp"
#include "harness/suite/runs/runner.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Two runs of one arm that should have the same bits.
struct RepeatPair {
  std::string usual, odd;  ///< ids; `odd` is the one that was made under the condition
  compare::Condition under = compare::Condition::none;
  int64_t number = 1;  ///< of the repetition `odd`
};

/// Returns where two runs differ first; nothing if they agree in all that both recorded.
/// \throws UserError if a trace cannot be read
std::optional<compare::FirstDivergence> divergence(const RunStore& store, const std::string& one,
                                                   const std::string& other);

/// Returns whether a check of relation `repeats` found runs that differ.
bool found_other_bits(const JudgedCheck& check);

/// Returns the first repetition that a failed check of relation `repeats` found to differ, with the run that
/// it differs from.
std::optional<RepeatPair> odd_repetition(const PlannedArm& arm, const JudgedCheck& check,
                                         const std::map<std::string, RunResult>& runs, const RunStore& store);

/// Returns the update that shows a difference. Initial weights belong to the first.
int64_t update_of(const compare::FirstDivergence& at);

/// What the watched runs of an arm show.
struct Watched {
  std::optional<compare::FirstDivergence>
      first;                        ///< the earliest difference of any two that recorded the same
  const WatchedRun* one = nullptr;  ///< two that differ first at the update that both recorded; null: none
  const WatchedRun* other = nullptr;
};

Watched compare_watched(const PlannedArm& arm, const RunStore& store);

/// Returns how the watched runs that were made like `pair.odd` compare with the two runs, up to a step.
std::vector<compare::Rerun> reruns_of(const PlannedArm& arm, const RepeatPair& pair, int64_t step,
                                      const RunStore& store);

}  // namespace parity::suite
