// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::suite {

/// A further run of an arm that records one update in full, with its operators.
struct WatchedRun {
  std::string id;
  int64_t update = 1;
};

/// One arm of a case with its runs.
struct PlannedArm {
  std::string name;
  std::string run;   ///< id
  std::string twin;  ///< id of the float64 twin; "" if no check needs it or the arm cannot have one
  FlatConfig config;
  int64_t warmup_steps = 0;
  int ranks = 1;
  std::string spare_twin = {};           ///< id of a twin that runs only if no stored evidence is valid
  std::string resolved = {};             ///< ArmEvidence::resolved
  std::string repeat = {};               ///< id of a second run of the same; "" if there is none
  std::vector<WatchedRun> watched = {};  ///< further runs of an arm that does not repeat itself

  /// Returns the ids of its runs, twin, repeat and watched runs; without a spare twin.
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
