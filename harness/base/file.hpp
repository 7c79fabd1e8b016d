// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace parity {

/// The whole file as bytes. \throws UserError naming the path and why it cannot be read: only regular files
/// are (a pipe would never end), and only up to `most` bytes.
std::string read_file(const std::filesystem::path& path, uint64_t most = UINT64_MAX);

/// Why a path cannot be used, as an error that names it: for failures that std::filesystem throws.
UserError error_of(const std::filesystem::filesystem_error& error);

/// Removes what a TemporaryFile leaves in `folder` (not below it) when it is killed. Only while nobody else
/// writes there.
void remove_temporaries(const std::filesystem::path& folder);

/// A file that is written beside the one whose place it will take, so that a reader sees the old one or the
/// new one, never a part. Gone with this object unless it took its place.
class TemporaryFile {
 public:
  /// Makes missing parent folders. \throws UserError if they cannot be made
  explicit TemporaryFile(std::filesystem::path target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// \throws UserError if it cannot be renamed
  void take_place();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// Writes through a temporary file beside `path` and a rename: a reader sees the old file or the new one,
/// never a part. Makes missing parent folders. \throws UserError if the disk is full or the folder read-only.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// As a person here would type it: relative to the working folder if it lies below.
std::string path_from_here(const std::filesystem::path& file);

}  // namespace parity
