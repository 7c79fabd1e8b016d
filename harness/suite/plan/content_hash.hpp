// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// 32 hexadecimal digits that name these bytes. For telling contents apart, not against forgery.
std::string content_hash(std::string_view bytes);

/// Returns content_hash of a file's bytes, which are read now.
/// \throws UserError (exit 3) if it is not a regular file or cannot be read
std::string hash_of_contents(const std::filesystem::path& file);

/// Hashes of files, remembered by path, device, inode, size, time of writing and time of change (ctime, which
/// nobody sets back), so that a second run does not read LibTorch again. A file that changed less than two
/// seconds ago is not remembered: it could change again within the same tick of its file system's clock.
class ContentHashes {
 public:
  /// \param memory  file that keeps the hashes between runs; a missing or broken one is made anew
  explicit ContentHashes(std::filesystem::path memory);
  ~ContentHashes();  ///< writes the memory if there is something new; failing that, only time is lost
  ContentHashes(const ContentHashes&) = delete;
  ContentHashes& operator=(const ContentHashes&) = delete;

  /// \throws UserError if the file cannot be read
  std::string of_file(const std::filesystem::path& file);
  /// A file as of_file; a folder by the relative paths and hashes of all files below it, sorted. Links to
  /// files count by the file. \throws UserError as of_file, and for a link to a folder
  std::string of_path(const std::filesystem::path& path);
  /// A program together with the shared libraries it loads.
  std::string of_program(const std::filesystem::path& program);

 private:
  std::vector<std::string> libraries_of(const std::filesystem::path& program);

  std::filesystem::path memory_;
  Json entries_ = Json::object();
  bool changed_ = false;
};

}  // namespace parity
