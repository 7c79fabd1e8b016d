// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/bisect/commits/history.hpp"
#include "harness/bisect/commits/probe.hpp"
#include "harness/bisect/commits/trace_gap.hpp"
#include "harness/bisect/search/find_steps.hpp"

namespace parity {

/// A commit that moves the numbers, or the few that it may be.
struct ChangingCommit {
  Commit before, after;         ///< both were asked, and they differ
  std::vector<Commit> between;  ///< could not be judged; empty: it is `after`
  bool narrowed = true;         ///< false: --most ended the search above it
  double size = 0;
  std::string arm;                         ///< that differs most
  std::optional<GapPlace> first, largest;  ///< of measured commits
  std::string change;                      ///< of others: "fails where the one before passed (exit status 1)"
  std::string merged_by;  ///< "it came with merge 3f2a1bc042 (...)"; "" if it lies on the line itself

  /// "commit 3f2a1bc042 (\"subject\") moves loss first at step 3 from 2.5 to 2.75 (relative 1.0e-01)".
  std::string text() const;
  Json to_json() const;
};

/// What a search along one line of history found, merges looked into.
struct LineSearch {
  std::vector<ChangingCommit> culprits;  ///< biggest first
  StepSearch steps;                      ///< of the line itself, by its indices
};

/// Looks for the commits on lines of history whose answers part from the one before.
class CommitSearch {
 public:
  CommitSearch(const CommitQuestion& question, const History& history, CommitProbe& probe)
      : question_(question), history_(history), probe_(probe) {}

  /// The answer, asked for if need be.
  const CommitAnswer& answer(const Commit& commit);
  /// Takes traces of another origin for what a commit that cannot be asked would have answered.
  void stand_in(const Commit& commit, const CommitAnswer& answer) { answers_[commit.id] = answer; }
  /// How far two asked commits lie apart: 0 the same, up to the tolerance as good as the same.
  double distance(const Commit& a, const Commit& b);
  /// The same with the place, from the traces of the arm that differs most.
  ChangingCommit between(const Commit& before, const Commit& after);
  /// Arms of which the two differ by more than the tolerance.
  std::vector<std::string> differing_arms(const Commit& a, const Commit& b);

  /// \param line  both ends can be judged
  LineSearch along(const CommitLine& line);
  /// Every commit that was asked, with its answer.
  const std::map<std::string, CommitAnswer>& answers() const { return answers_; }
  /// Channels that only some commits record.
  const std::set<std::string>& one_sided() const { return one_sided_; }

 private:
  TraceGap gap(const Commit& a, const Commit& b, const std::string& arm);
  std::vector<ChangingCommit> look_into_merge(const ChangingCommit& merge);

  const CommitQuestion& question_;
  const History& history_;
  CommitProbe& probe_;
  std::map<std::string, CommitAnswer> answers_;                   ///< by commit
  std::map<std::pair<std::string, std::string>, TraceGap> gaps_;  ///< by the files that were compared
  std::set<std::string> one_sided_;
};

}  // namespace parity
