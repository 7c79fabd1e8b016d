// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/suite/goldens/git.hpp"

namespace parity::bisect {

/// The work tree of a search. It holds one commit after the other in the same folder, so that builds are
/// incremental. The repository's HEAD, index, refs and other work trees never change.
///
/// The first check_out() makes it, after removing that of a killed search. The destructor removes it.
class CommitWorktree {
 public:
  /// \param repository  must outlive this object
  CommitWorktree(const suite::Git& repository, const std::filesystem::path& folder);
  ~CommitWorktree();
  CommitWorktree(const CommitWorktree&) = delete;
  CommitWorktree& operator=(const CommitWorktree&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Checks out the files of a commit. Keeps build products that git ignores and removes all other files.
  /// \throws UserError if git fails
  void check_out(const std::string& commit);

  /// Output of `git bisect`.
  struct Bisected {
    std::string words;  ///< its answer, in one line; "" if its verdicts do not suffice
    std::string log;    ///< for `git bisect replay`
  };
  /// Returns what `git bisect` concludes from verdicts ("good ID", "bad ID", "skip ID") between a good and a
  /// bad commit of one first-parent line. Checks out nothing.
  Bisected bisect(const std::string& good, const std::string& bad, const std::vector<std::string>& verdicts);

 private:
  void make(const std::string& commit);
  void remove() const;

  const suite::Git& repository_;
  std::filesystem::path folder_;
  std::unique_ptr<suite::Git> git_;  ///< for the folder; set once it exists
};

}  // namespace parity::bisect
