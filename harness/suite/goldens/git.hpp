// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parity {

/// Questions to the git program about the repository that a folder lies in. It is started without a shell.
class Git {
 public:
  explicit Git(std::filesystem::path folder);
  ~Git();
  Git(const Git&) = delete;
  Git& operator=(const Git&) = delete;

  /// The commit a revision means; nothing if the repository has none, or there is no repository.
  /// \throws UserError if git cannot be started
  std::optional<std::string> commit_of(const std::string& revision) const;
  /// Files below a folder in that commit, relative to the folder this object was made for.
  std::vector<std::string> files(const std::string& commit, const std::string& below) const;
  /// What a command prints, without the newline at its end. Hooks of the repository do not run, and its index
  /// is not refreshed on the way.
  /// \throws UserError with git's own words if it fails
  std::string output(const std::vector<std::string>& words) const;
  /// What it prints, whether or not it fails.
  std::string output_or_empty(const std::vector<std::string>& words) const;
  /// Whether a command succeeds.
  bool succeeds(const std::vector<std::string>& words) const;
  const std::filesystem::path& folder() const { return folder_; }
  /// A file as it was in that commit, as a file that lives as long as this object.
  std::filesystem::path extract(const std::string& commit, const std::string& file) const;

 private:
  bool run(const std::vector<std::string>& words, const std::filesystem::path& output) const;

  std::filesystem::path folder_;
  std::filesystem::path scratch_;
};

}  // namespace parity
