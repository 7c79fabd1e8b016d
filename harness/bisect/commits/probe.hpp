// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "harness/base/terminal/progress.hpp"
#include "harness/bisect/commits/answer.hpp"
#include "harness/bisect/commits/history.hpp"
#include "harness/bisect/commits/question.hpp"
#include "harness/bisect/commits/worktree.hpp"

namespace parity::bisect {

/// The cost of the answers so far.
struct CommitEffort {
  int64_t builds = 0;
  int64_t runs = 0;        ///< of arms, or of the command; without repeats
  int64_t repeats = 0;     ///< second runs of the same commit
  int64_t remembered = 0;  ///< answers that were stored, or are those of another commit's equal program
  double seconds = 0;
};

/// Evaluates commits: checks one out, builds it and runs it. Evaluates each commit once in a search, which
/// may resume one that was killed.
class CommitProbe {
 public:
  /// \param question  complete; must outlive this object, as must `repository` and `progress`
  CommitProbe(const CommitQuestion& question, const suite::Git& repository, Progress& progress);

  /// Returns the answer of a commit. A failed build or run is also an answer.
  /// \throws UserError (exit 130) after Ctrl-C; if git fails
  CommitAnswer ask(const Commit& commit);
  /// Evaluates a commit once more, whatever is stored of it, to compare it with its own answer.
  /// \throws UserError as `ask`
  CommitAnswer repeat(const Commit& commit);
  const CommitEffort& effort() const { return effort_; }
  CommitWorktree& worktree() { return worktree_; }
  CommitAnswers& answers() { return answers_; }
  /// Forgets the stored answers.
  void forget();

 private:
  CommitAnswer evaluate(const Commit& commit);
  bool build(const Commit& commit, CommitAnswer& answer);
  bool take_from_program(CommitAnswer& answer);
  std::filesystem::path place(const Commit& commit) const;
  void run_case(const Commit& commit, CommitAnswer& answer);
  void run_command(const Commit& commit, CommitAnswer& answer);
  std::map<std::string, std::string> environment(const Commit& commit) const;
  std::filesystem::path trainer() const;
  std::filesystem::path build_folder() const;

  const CommitQuestion& question_;
  Progress& progress_;
  CommitAnswers answers_;
  CommitWorktree worktree_;
  CommitEffort effort_;
  std::set<std::string> asked_;  ///< trees evaluated in this search
  bool repeating_ = false;
};

}  // namespace parity::bisect
