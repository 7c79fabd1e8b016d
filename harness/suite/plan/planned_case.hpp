// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/checks/condition.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/trace/format/tensor_key.hpp"

namespace parity::suite {

/// A repetition of an arm's run.
struct PlannedRepetition {
  std::string id;
  compare::Condition under = compare::Condition::none;
  int64_t number = 1;  ///< among the repetitions under this condition, counted from 1
};

/// A further run of an arm that records one update in full, with its operators.
struct WatchedRun {
  std::string id;
  int64_t update = 1;
  compare::Condition under = compare::Condition::none;
  bool elsewhere = false;  ///< on other cores than the run that it repeats
};

/// A further run of an arm to add.
struct RunToWatch {
  std::string arm;
  int64_t update = 1;  ///< to record in full
  compare::Condition under = compare::Condition::none;
  int64_t number = 1;  ///< of the repetition whose condition is made again
  bool elsewhere = false;
  std::optional<trace::TensorKey> values = {};  ///< a tensor to record whole
};

/// One arm of a case with its runs.
struct PlannedArm {
  std::string name;
  std::string run;   ///< id
  std::string twin;  ///< id of the float64 twin; "" if no check needs it or the arm cannot have one
  FlatConfig config;
  int64_t warmup_steps = 0;
  int ranks = 1;
  std::string exact = {};                ///< id of the exact twin; "" as for `twin`
  int64_t exact_updates = 0;             ///< how many of the arm's updates the exact twin trains
  std::string spare_twin = {};           ///< id of a twin that runs only if no stored evidence is valid
  std::string resolved = {};             ///< ArmEvidence::resolved
  std::string repeat = {};               ///< id of a second run of the same; "" if there is none
  std::vector<WatchedRun> watched = {};  ///< further runs of an arm that does not repeat itself
  std::vector<PlannedRepetition> repetitions = {};  ///< that checks of relation `repeats` ask for

  /// Returns the ids of its run, twins, repeat, repetitions and watched runs, each once; without a spare
  /// twin.
  std::vector<std::string> runs() const;
};

/// The float64 twins of a case that run.
enum class Twins {
  spare,              ///< none at first; later those that are needed (Plan::run_spare_twins)
  checks,             ///< those that the checks need
  checks_and_golden,  ///< also those of the arms in the golden
};

struct PlannedCase {
  Case source;
  std::vector<PlannedArm> arms;  ///< in the order of the file
  Twins twins = Twins::checks;

  PlannedArm& arm(const std::string& name);
  const PlannedArm& arm(const std::string& name) const;
};

}  // namespace parity::suite
