// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace parity {

/// The whole file as bytes. \throws UserError naming the path and why it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Writes through a temporary file beside `path` and a rename: a reader sees the old file or the new one,
/// never a part. Makes missing parent folders. \throws UserError if the disk is full or the folder read-only.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// An exclusive lock on a folder, held by this process until destroyed; the lock file names its owner.
/// \throws UserError "FOLDER is in use by process N" if another holds it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace parity
