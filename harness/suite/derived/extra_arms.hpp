// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// An arm that a case has not: one of its own, changed. It is called "OF~SUFFIX"; no arm of a file can be.
struct ExtraArm {
  std::string of;
  std::string suffix;
  FlatConfig config = {};               ///< keys it sets beside those of the arm
  std::optional<Profile> profile = {};  ///< nothing keeps the case's
  bool twin = false;                    ///< whether it has a float64 twin where checks of its arm need one
  std::vector<Fault> faults = {};       ///< put into its run, and its twin's
  RunSpan span = {};                    ///< the updates that its run, and its twin's, make
  Capture capture = {};                 ///< what its run records beside what its arm records

  std::string name() const { return of + "~" + suffix; }
};

/// The case with these arms behind its own. Each records what the arm that it comes from records, so that any
/// check of the case can be judged with it in that arm's place. Checks and golden stay as they are.
Case with_extra_arms(Case source, const std::vector<ExtraArm>& extra);

/// The runs of a case, and what they left.
struct ArmRuns {
  PlannedCase planned;
  std::map<std::string, RunResult> runs;  ///< by id
  Evidence evidence;
};

/// The arms with their complete configs; nothing is run.
/// \throws UserError as Plan::add
PlannedCase plan_arms(const Case& source, const RunSettings& settings);

/// Runs every arm of the case, with the twins that its checks need, through plan, cache and runner. Nothing
/// is judged or recorded. A run that fails is crashed evidence, as in a suite.
/// \throws UserError for a bad case, a missing trainer, an output folder in use; after Ctrl-C (exit 130)
ArmRuns run_arms(const Case& source, const RunSettings& settings, Progress& progress);

}  // namespace parity
