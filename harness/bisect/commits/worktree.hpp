// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/suite/goldens/git.hpp"

namespace parity {

/// A work tree of its own for a search: it holds one commit after the other, at one place, so that builds in
/// it are incremental. The repository's HEAD, index, refs and other work trees are never touched.
///
/// Made at the first check_out, gone with this object. What a search that was killed left is removed first.
class CommitWorktree {
 public:
  /// \param repository  must outlive this object
  CommitWorktree(const Git& repository, const std::filesystem::path& folder);
  ~CommitWorktree();
  CommitWorktree(const CommitWorktree&) = delete;
  CommitWorktree& operator=(const CommitWorktree&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Files of the commit take their places; what a build made and git ignores stays, anything else goes.
  /// \throws UserError if git cannot
  void check_out(const std::string& commit);

  /// What `git bisect` says about verdicts ("good ID", "bad ID", "skip ID"), between a good and a bad commit
  /// of one first-parent line. Nothing is checked out.
  struct Bisected {
    std::string words;  ///< last line of what it printed
    std::string log;    ///< for `git bisect replay`
  };
  Bisected bisect(const std::string& good, const std::string& bad, const std::vector<std::string>& verdicts);

 private:
  void make(const std::string& commit);
  void remove() const;

  const Git& repository_;
  std::filesystem::path folder_;
  std::unique_ptr<Git> git_;  ///< in the folder, once it is there
};

}  // namespace parity
