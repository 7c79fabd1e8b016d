// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/coverage/propose/proposal.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/run_suite.hpp"

namespace parity::coverage {

/// An arm that is not equivalent to its plain arm, or did not end.
struct FailedArm {
  std::string name;
  std::string sentence;  ///< of the first check that failed, or of the run
};

/// A proposal that was run.
struct Trial {
  ProposedCase proposed;
  std::filesystem::path file;          ///< the case file
  std::vector<FailedArm> failed = {};  ///< empty: all arms hold
  bool plain_failed = false;           ///< then no arm was tested
  bool judged = false;                 ///< false: the suite stopped before it
  bool untrained = false;              ///< nothing failed but that the loss did not fall
  /// Arms that failed an `equivalent` check, where nothing else failed but that a loss did not fall.
  std::vector<std::string> unequal = {};
  bool amplifies = false;  ///< training amplifies rounding as far in the plain arm alone

  bool held() const { return judged && failed.empty(); }
};

/// Trials of one suite.
struct Trials {
  std::vector<Trial> all;
  bool interrupted = false;  ///< by a signal; then some are not judged
};

/// Writes each proposal as a case file into a folder, and runs them. One whose loss did not fall runs once
/// more with three times as many steps. Perturbed runs of the plain arm decide about one whose arms differ.
/// \throws UserError if a file exists already, or as run_suite()
Trials run_trials(const std::vector<ProposedCase>& proposals, const std::filesystem::path& folder,
                  const suite::SuiteOptions& options, Progress& progress);

/// Takes the failures of a judged case. A check blames its last arm: the first is the plain one. An arm with
/// the bits of the plain arm holds, and is noted: its `equivalent` check proves nothing, so its case must
/// claim `identical`. A case whose config the trainer refuses for every arm counts as not judged.
void take_results(Trial& trial, const results::Case& item);

/// Returns {"case", "file", "arms", "judged", "failed": [{"arm", "sentence"}]}.
Json trial_json(const Trial& trial);

/// Returns the proposal without the arms that failed.
ProposedCase without_failed(const Trial& trial);

}  // namespace parity::coverage
