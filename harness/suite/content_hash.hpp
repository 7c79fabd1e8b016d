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

/// Hashes of files, remembered by path, size and time of change, so that a second run does not read LibTorch
/// again.
class ContentHashes {
 public:
  /// \param memory  file that keeps the hashes between runs; a missing or broken one is made anew
  explicit ContentHashes(std::filesystem::path memory);
  ~ContentHashes();  ///< writes the memory if there is something new; failing that, only time is lost
  ContentHashes(const ContentHashes&) = delete;
  ContentHashes& operator=(const ContentHashes&) = delete;

  /// \throws UserError if the file cannot be read
  std::string of_file(const std::filesystem::path& file);
  /// A program together with the shared libraries it loads.
  std::string of_program(const std::filesystem::path& program);

 private:
  std::vector<std::string> libraries_of(const std::filesystem::path& program);

  std::filesystem::path memory_;
  Json entries_ = Json::object();
  bool changed_ = false;
};

}  // namespace parity
