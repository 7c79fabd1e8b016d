// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/suite/goldens/git.hpp"

namespace parity::bisect {

struct Commit {
  std::string id;
  std::vector<std::string> parents;
  std::string tree;  ///< id of its tree; equal trees are equal sources
  std::string subject;

  std::string short_id() const { return id.substr(0, 10); }
  /// Returns "3f2a1bc042 (\"subject\")", for messages.
  std::string text() const;
};

/// Commits in the order in which they joined one line of history. The search starts at the first. It is the
/// commit that the user called good, or the search checks that it agrees with that commit.
using CommitLine = std::vector<Commit>;

/// Queries the history of a repository. Changes nothing in it.
class History {
 public:
  /// \param git  must outlive this object
  /// \throws UserError if the folder is not in a repository, or the repository has no commits
  explicit History(const suite::Git& git);

  /// Returns the commit that a revision names. \throws UserError if it names none
  Commit commit(const std::string& revision) const;

  /// Returns the first-parent line up to `bad`, starting at the last commit on it that `good` contains
  /// (`good` itself if it is on that line).
  ///
  /// Leaves out commits that change none of `paths` (empty: any), and commits with the tree of the previous
  /// one. A single element means that no commit is between the two.
  /// \throws UserError if `bad` is an ancestor of `good`, or they have no common history
  CommitLine line(const Commit& good, const Commit& bad, const std::vector<std::string>& paths) const;

  /// Returns the line below a merge: the commits of `parent` that `other` does not contain. May be empty.
  CommitLine branch_line(const std::string& other, const std::string& parent,
                         const std::vector<std::string>& paths) const;

  /// Returns whether the work tree that contains the folder has changed tracked files.
  bool has_uncommitted_changes() const;

 private:
  CommitLine commits_between(const std::string& excluded, const std::string& last,
                             const std::vector<std::string>& paths) const;

  const suite::Git& git_;
};

}  // namespace parity::bisect
