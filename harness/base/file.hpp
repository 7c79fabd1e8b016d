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

/// A file opened to be read as bytes; who reads it to its end asks for bad() there. \throws UserError as
/// read_file
std::ifstream open_file(const std::filesystem::path& path);

/// The whole file as bytes. \throws UserError naming the path and why it cannot be read: only regular files
/// are (a pipe would never end), only up to `most` bytes, and only whole (a read that fails is no end).
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
  /// Makes missing parent folders, and the file, empty and new. \throws UserError if they cannot be made
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

/// Takes text a piece at a time: a file, or a string.
using Sink = std::function<void(std::string_view piece)>;

/// Gives a file's bytes on, a block at a time. \throws UserError as read_file
void pass_on(const std::filesystem::path& path, const Sink& sink);

/// A file written a piece at a time, through a TemporaryFile.
class NewFile {
 public:
  /// \throws UserError if its folder cannot be made or written to
  explicit NewFile(const std::filesystem::path& target);

  /// \throws UserError if the disk is full
  void write(std::string_view piece);
  /// Puts the file into its place. \throws UserError if the disk is full
  void finish();
  /// Writes what it is given, while this object lives.
  Sink sink() {
    return [this](std::string_view piece) { write(piece); };
  }

 private:
  std::filesystem::path target_;
  TemporaryFile temporary_;
  std::ofstream stream_;
};

/// Writes through a temporary file beside `path` and a rename: a reader sees the old file or the new one,
/// never a part. Makes missing parent folders. \throws UserError if the disk is full or the folder read-only.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// For failures of streams: names the path and errno's reason. \throws UserError always
[[noreturn]] void throw_cannot_write(const std::filesystem::path& path);

/// As a person here would type it: relative to the working folder if it lies below.
std::string path_from_here(const std::filesystem::path& file);

}  // namespace parity
