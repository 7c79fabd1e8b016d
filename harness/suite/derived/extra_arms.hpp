// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/cases/flat_config.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// An arm derived from one of the case's arms by changing config keys, profile, faults, step range or
/// capture. Its name is "OF~SUFFIX", which no arm of a case file can have.
struct ExtraArm {
  std::string of;
  std::string suffix;
  FlatConfig config = {};                 ///< keys to set in addition to those of the arm
  std::optional<Profile> profile = {};    ///< not set: the case's profile
  bool twin = false;                      ///< give it a float64 twin if checks of its arm need one
  std::vector<trace::Fault> faults = {};  ///< injected into its run and its twin's
  RunSpan span = {};                      ///< of its run and its twin's
  trace::Capture capture = {};            ///< recorded in addition to what its arm records

  std::string name() const { return of + "~" + suffix; }
};

/// Returns the case with these arms after its own.
///
/// Each extra arm records what its original records, so any check of the case can be judged with the extra
/// arm in place of the original. Checks and golden do not change.
Case with_extra_arms(Case source, const std::vector<ExtraArm>& extra);

/// The runs of a case with their results and traces.
struct ArmRuns {
  PlannedCase planned;
  std::map<std::string, RunResult> runs;  ///< by id
  Evidence evidence;
};

/// Returns the arms with their complete configs. Runs nothing.
/// \throws UserError as Plan::add
PlannedCase plan_arms(const Case& source, const RunSettings& settings);

/// Runs every arm of the case, with the twins that its checks need, through plan, cache and runner. Judges
/// and records nothing. A failed run becomes crashed evidence, as in a suite.
/// \throws UserError for a bad case, a missing trainer, an output folder in use; after Ctrl-C (exit 130)
ArmRuns run_arms(const Case& source, const RunSettings& settings, Progress& progress);

}  // namespace parity::suite
