// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/goldens/git.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::bisect {

/// The question to every commit between two revisions. A commit answers by the arms of a case, or by a
/// command.
struct CommitQuestion {
  std::string good, bad;              ///< revisions
  std::optional<suite::Case> source;  ///< the case whose arms run, even if the commit does not have it
  std::vector<std::string> arms;      ///< only these arms; empty: all
  std::string run;                    ///< without a case: a shell line, run in the commit's work tree
  std::string build;                  ///< a shell line to run first; "": no build
  /// The program that the build makes, as a path in the work tree; {worktree} and {build} are replaced. Arms
  /// without a command run it. Commits whose builds make the same bytes share an answer.
  std::string trainer;
  std::vector<std::string> paths;     ///< only commits that change one of these; empty: all
  std::vector<std::string> channels;  ///< globs: only these channels count; empty: everything
  double tolerance = 0;               ///< relative distance up to which two commits are the same
  size_t most = SIZE_MAX;             ///< largest number of commits to evaluate on a line of history
  double run_timeout = 3600;          ///< of `run` [seconds]
  double build_timeout = 7200;        ///< of `build` [seconds]
  bool use_golden = true;             ///< compare the good commit with its golden
  bool keep_answers = true;           ///< false: evaluate every commit again
  suite::RunSettings suite;           ///< its `out` is the parent of all files of the search

  std::filesystem::path folder() const { return suite.out / "bisect" / "commits"; }
  /// Returns the arms to run, with those whose traces they read.
  std::vector<std::string> wanted_arms() const;
  /// Returns everything that an answer depends on, except the commit. Leaves out which commits are evaluated
  /// and how they are judged.
  Json identity() const;
};

/// Checks the question and sets defaults from the repository. If the case runs this project's trainer and no
/// build is given, it sets the commands that build this project.
/// \throws UserError if no arm's program comes from the commit, an arm is unknown, a number is out of range
void complete_question(CommitQuestion& question, const suite::Git& git);

/// Returns the case to run at a commit: only the wanted arms, without checks, and with {worktree} replaced in
/// commands.
suite::Case case_at(const CommitQuestion& question, const std::filesystem::path& worktree);

}  // namespace parity::bisect
