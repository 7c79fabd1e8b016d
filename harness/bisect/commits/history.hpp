// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/suite/goldens/git.hpp"

namespace parity {

struct Commit {
  std::string id;
  std::vector<std::string> parents;
  std::string tree;  ///< id of what the commit holds: equal trees are equal sources
  std::string subject;

  std::string short_id() const { return id.substr(0, 10); }
  /// "3f2a1bc042 (\"subject\")", to be shown.
  std::string text() const;
};

/// Commits in the order in which they came onto one line of history. The first is where the search begins; it
/// is as good as what was called good, or has to prove it.
using CommitLine = std::vector<Commit>;

/// Questions about the history of a repository. Nothing in it is changed.
class History {
 public:
  /// \param git  must outlive this object
  /// \throws UserError if the folder lies in no repository, or has no commits
  explicit History(const Git& git);

  /// \throws UserError if the revision names no commit
  Commit commit(const std::string& revision) const;

  /// The first-parent line up to `bad`, from the last commit on it that `good` contains: `good` itself where
  /// it lies on that line.
  ///
  /// Commits that change none of `paths` (empty: any) are left out, and so are those with the tree of the one
  /// before. One element: nothing lies between.
  /// \throws UserError if `bad` is an ancestor of `good`, or they have no common history
  CommitLine line(const Commit& good, const Commit& bad, const std::vector<std::string>& paths) const;

  /// The same below a merge: what `parent` has that `other` has not. Empty if nothing.
  CommitLine branch_line(const std::string& other, const std::string& parent,
                         const std::vector<std::string>& paths) const;

  /// Whether tracked files are changed in the work tree that the folder lies in.
  bool has_uncommitted_changes() const;

 private:
  CommitLine commits_between(const std::string& excluded, const std::string& last,
                             const std::vector<std::string>& paths) const;

  const Git& git_;
};

}  // namespace parity
