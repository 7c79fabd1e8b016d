// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace parity {

/// Opens a file for reading bytes. A caller that reads to the end must check bad() there. \throws UserError
/// as read_file
std::ifstream open_file(const std::filesystem::path& path);

/// Returns the whole file as bytes.
/// \throws UserError with path and cause if the file cannot be read completely or is larger than `most`
///         bytes; also if it is not a regular file (reading a pipe would never end)
std::string read_file(const std::filesystem::path& path, uint64_t most = UINT64_MAX);

/// Returns the first `most` bytes of a file; fewer if it is shorter. \throws UserError as read_file
std::string read_head(const std::filesystem::path& path, size_t most);

/// Converts an exception of std::filesystem to an error that names the path and the cause.
UserError error_of(const std::filesystem::filesystem_error& error);

/// Removes what a killed TemporaryFile left in `folder` (not in subfolders). Call it only while no other
/// process writes there.
void remove_temporaries(const std::filesystem::path& folder);

/// A file written next to the target that it will replace. Readers see the old file or the new one, never a
/// partial one. The destructor deletes the file unless it has replaced its target.
class TemporaryFile {
 public:
  /// Creates missing parent folders and an empty new file. \throws UserError if they cannot be created
  explicit TemporaryFile(std::filesystem::path target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Replaces the target. \throws UserError if the file cannot be renamed
  void take_place();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

/// Receives text piece by piece: for a file or a string.
using Sink = std::function<void(std::string_view piece)>;

/// Passes a file's bytes to `sink`, block by block. \throws UserError as read_file
void pass_on(const std::filesystem::path& path, const Sink& sink);

/// A file written piece by piece, through a TemporaryFile.
class NewFile {
 public:
  /// Opens the temporary file. \throws UserError if its folder cannot be created or written to
  explicit NewFile(const std::filesystem::path& target);

  /// \throws UserError if the disk is full
  void write(std::string_view piece);
  /// Replaces the target by the file. \throws UserError if the disk is full
  void finish();
  /// Returns a sink that writes to this file; valid as long as this object.
  Sink sink() {
    return [this](std::string_view piece) { write(piece); };
  }

 private:
  std::filesystem::path target_;
  TemporaryFile temporary_;
  std::ofstream stream_;
};

/// Writes a file through a temporary file and a rename. Readers see the old file or the new one, never a
/// partial one. Creates missing parent folders. \throws UserError if the disk is full or the folder read-only
void write_file(const std::filesystem::path& path, std::string_view contents);

/// Throws UserError with the path and errno's reason; for failures of streams.
[[noreturn]] void throw_cannot_write(const std::filesystem::path& path);

/// Returns a path as a user would type it here: relative to the working folder if it lies below.
std::string path_from_here(const std::filesystem::path& file);

}  // namespace parity
