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

namespace parity::bisect {

/// A commit that changes the numbers, or a range of commits of which at least one does.
struct ChangingCommit {
  Commit before, after;         ///< both were evaluated, and they differ
  std::vector<Commit> between;  ///< could not be judged; empty: `after` made the change
  bool narrowed = true;         ///< false: --most ended the search before it narrowed the range
  double size = 0;
  std::string arm;                         ///< the arm that differs most
  std::optional<GapPlace> first, largest;  ///< set for measured commits
  /// Set for other commits: "fails where the one before passed (exit status 1)".
  std::string change;
  /// "two of its own runs differ, too" where a commit does not repeat; "" if both do.
  std::string own_gap;
  /// "it came with merge 3f2a1bc042 (...)"; "" if the commit is on the line itself.
  std::string merged_by;
  size_t on_line = 0;  ///< index of this commit, or of the merge that brought it, on the searched line

  /// Returns "commit 3f2a1bc042 (\"subject\") moves loss first at step 3 from 2.5 to 2.75 (relative 0.1)".
  std::string text() const;
  Json to_json() const;
};

/// The result of a search along one line of history and into its merges.
struct LineSearch {
  std::vector<ChangingCommit> causes;  ///< largest change first
  StepSearch steps;                    ///< of the line itself, by its indices
};

/// Finds the commits on lines of history whose answers differ from the previous commit's.
class CommitSearch {
 public:
  CommitSearch(const CommitQuestion& question, const History& history, CommitProbe& probe)
      : question_(question), history_(history), probe_(probe) {}

  /// Returns the answer of a commit; evaluates the commit if there is none yet.
  const CommitAnswer& answer(const Commit& commit);
  /// Sets the answer of a commit that cannot be evaluated, from traces of another origin.
  void set_answer(const Commit& commit, const CommitAnswer& answer) { answers_[commit.id] = answer; }
  /// Returns the relative distance between two evaluated commits; 0 if their answers are equal. Commits with
  /// a distance up to the tolerance count as equal.
  double distance(const Commit& a, const Commit& b);
  /// Returns the distance with its place, from the traces of the arm that differs most.
  ChangingCommit between(const Commit& before, const Commit& after);
  /// Returns the distance of a commit's answer from that of another run of it.
  double distance_from(const Commit& commit, const CommitAnswer& again);
  /// Returns whether the answers of two commits are one state (is_same_state).
  bool same_state(const Commit& a, const Commit& b) { return same_state(answer(a), answer(b)); }
  /// Commands that failed are compared by their failures, as where a good run leaves a trace.
  void compare_failures() { by_failure_ = true; }
  /// Returns whether the arms of two measured commits record only settings, which agree without equal
  /// training.
  bool only_settings(const Commit& a, const Commit& b);
  /// Returns "loss is NaN at step 4 (arm one)" for the first arm of a measured commit with a NaN; "" if none
  /// has.
  std::string describe_not_a_number(const Commit& commit);
  /// Forgets all answers.
  void forget();
  /// Returns the arms that differ by more than the tolerance.
  std::vector<std::string> differing_arms(const Commit& a, const Commit& b);

  /// Searches along a line of history.
  /// \param line  both ends must be judgeable
  LineSearch along(const CommitLine& line);
  /// Returns the answers of all evaluated commits.
  const std::map<std::string, CommitAnswer>& answers() const { return answers_; }
  /// Returns the channels that only some commits record.
  const std::set<std::string>& one_sided() const { return one_sided_; }

 private:
  bool same_state(const CommitAnswer& a, const CommitAnswer& b) const {
    return is_same_state(a, b, by_failure_);
  }
  double distance(const CommitAnswer& a, const CommitAnswer& b);
  TraceGap gap(const Commit& a, const Commit& b, const std::string& arm);
  TraceGap gap(const std::filesystem::path& before, const std::filesystem::path& after);
  std::vector<ChangingCommit> search_in_merge(const ChangingCommit& merge);

  const CommitQuestion& question_;
  const History& history_;
  CommitProbe& probe_;
  std::map<std::string, CommitAnswer> answers_;                   ///< by commit
  std::map<std::pair<std::string, std::string>, TraceGap> gaps_;  ///< by the files that were compared
  std::set<std::string> one_sided_;
  bool by_failure_ = false;
};

}  // namespace parity::bisect
