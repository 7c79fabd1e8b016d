// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity {

/// An exclusive lock on a folder, held by this process until destroyed or killed: the kernel drops it with
/// the process, so that no stale lock is left. The file `.lock` in the folder names its owner.
class FolderLock {
 public:
  /// Makes the folder where it is missing.
  /// \param command  what the owner is doing, for the message to whoever comes second
  /// \throws UserError "FOLDER is in use by process N (since T, running C) ..." if another holds it, and if
  ///         the folder cannot be written to
  FolderLock(const std::filesystem::path& folder, const std::string& command);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace parity
