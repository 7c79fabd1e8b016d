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

namespace parity {

/// What is asked of every commit between two, and how a commit answers: by the arms of a case, or by a
/// command.
struct CommitQuestion {
  std::string good, bad;          ///< revisions
  std::optional<Case> source;     ///< its arms run, whether or not the commit has the case
  std::vector<std::string> arms;  ///< of them, only these; empty: all
  std::string run;                ///< else: a shell line, in the commit's work tree
  std::string build;              ///< a shell line before it; "": nothing is built
  /// What the build makes, as a path in the work tree; {worktree} and {build} are replaced. Arms without a
  /// command run it. Commits whose builds make the same bytes share an answer.
  std::string trainer;
  std::vector<std::string> paths;     ///< only commits that change one of these; empty: all
  std::vector<std::string> channels;  ///< globs: only these channels count; empty: everything
  double tolerance = 0;               ///< relative distance up to which two commits are the same
  size_t most = SIZE_MAX;             ///< commits to evaluate on a line of history
  double run_timeout = 3600;          ///< seconds, of `run`
  double build_timeout = 7200;        ///< seconds
  bool use_golden = true;             ///< hold the good side against its golden
  bool keep_answers = true;           ///< false: ask every commit again
  RunSettings suite;                 ///< out: everything is kept below it

  std::filesystem::path folder() const { return suite.out / "bisect" / "commits"; }
  /// The arms that are run, with those whose traces they read.
  std::vector<std::string> wanted_arms() const;
  /// Everything an answer depends on beside the commit: not which commits are asked, nor how they are judged.
  Json identity() const;
};

/// Checks the question at the boundary and fills in what the repository tells: how this project's own sources
/// are built, where the case runs their trainer and nothing else is said.
/// \throws UserError if no arm's program comes from the commit, an arm is unknown, a number is out of range
void complete_question(CommitQuestion& question, const Git& git);

/// The case as it is run at a commit: no checks, only the wanted arms, {worktree} replaced in commands.
Case case_at(const CommitQuestion& question, const std::filesystem::path& worktree);

}  // namespace parity
