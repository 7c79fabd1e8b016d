// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parity::suite {

/// Queries the repository that contains a folder, with the git program. Starts git without a shell.
class Git {
 public:
  explicit Git(std::filesystem::path folder);
  ~Git();
  Git(const Git&) = delete;
  Git& operator=(const Git&) = delete;

  /// Returns the id of the commit that a revision names; nothing if there is none, or no repository.
  /// \throws UserError if git cannot be started
  std::optional<std::string> commit_of(const std::string& revision) const;
  /// Returns the files below a folder in that commit, relative to the folder of this object.
  std::vector<std::string> files(const std::string& commit, const std::string& below) const;
  /// Returns the output of a git command without the final newline. Runs no hooks of the repository and does
  /// not refresh its index.
  /// \throws UserError with git's message if it fails
  std::string output(const std::vector<std::string>& words) const;
  /// Returns the output of a git command, whether or not it fails.
  std::string output_or_empty(const std::vector<std::string>& words) const;
  /// Returns whether a git command succeeds.
  bool succeeds(const std::vector<std::string>& words) const;
  const std::filesystem::path& folder() const { return folder_; }
  /// Returns the path of a copy of a file of that commit, which exists as long as this object.
  std::filesystem::path extract(const std::string& commit, const std::string& file) const;

 private:
  bool run(const std::vector<std::string>& words, const std::filesystem::path& output) const;

  std::filesystem::path folder_;
  std::filesystem::path scratch_;
};

}  // namespace parity::suite
