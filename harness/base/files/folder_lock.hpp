// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity {

/// An exclusive lock on a folder, held by this process until destroyed. If the process is killed, the kernel
/// drops the lock, so no stale lock remains. The file `.lock` in the folder names its owner.
class FolderLock {
 public:
  /// Takes the lock; creates a missing folder.
  /// \param command  what the owner is doing, for the error message of another process
  /// \throws UserError "cannot use folder FOLDER (in use by process N since T, running: C); ..." if another
  ///         process holds the lock; also if the folder cannot be written to
  FolderLock(const std::filesystem::path& folder, const std::string& command);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace parity
