// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns a hash of these bytes, 32 hexadecimal digits. It distinguishes contents; it does not prevent
/// forgery.
std::string content_hash(std::string_view bytes);

/// Returns content_hash of a file's bytes. Always reads the file.
/// \throws UserError (exit 3) if it is not a regular file or cannot be read
std::string hash_of_contents(const std::filesystem::path& file);

/// Returns a stamp that changes whenever the file may have changed. `touch` and `utime` can set the mtime,
/// but not the ctime.
/// \throws UserError if it is not a regular file or cannot be read
std::string file_stamp(const std::filesystem::path& file);

/// A cache of file hashes, so that a second run does not read LibTorch again.
///
/// The key of a hash is the file's path, device, inode, size, mtime and ctime (which programs cannot set
/// back). A file that changed less than two seconds ago is not cached, since it could change again within the
/// same tick of its file system's clock.
class ContentHashes {
 public:
  /// \param memory  file that keeps the hashes between runs; replaced if it is missing or damaged
  explicit ContentHashes(std::filesystem::path memory);
  /// Writes the file if there are new hashes. A failure only costs time.
  ~ContentHashes();
  ContentHashes(const ContentHashes&) = delete;
  ContentHashes& operator=(const ContentHashes&) = delete;

  /// \throws UserError if the file cannot be read
  std::string of_file(const std::filesystem::path& file);
  /// Returns the hash of a file (of_file), or of the sorted relative paths and hashes of all files below a
  /// folder. A link to a file counts as that file.
  /// \throws UserError as of_file, and for a link to a folder
  std::string of_path(const std::filesystem::path& path);
  /// Returns the hash of a program and the shared libraries that it loads.
  /// \throws UserError as of_file, and if ldd does not list the libraries
  std::string of_program(const std::filesystem::path& program);

 private:
  /// Asks once. Not remembered for later calls of parity: a library that is new in an earlier folder wins.
  const std::vector<std::string>& libraries_of(const std::filesystem::path& program);

  std::filesystem::path memory_;
  Json entries_ = Json::object();
  std::map<std::string, std::vector<std::string>> libraries_;  ///< of each program
  bool changed_ = false;
};

}  // namespace parity::suite
