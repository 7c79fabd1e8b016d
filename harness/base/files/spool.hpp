// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// Stores pieces of text on disk until they are written elsewhere. The file has no name, so it disappears
/// with this object, even if the program is killed.
class Spool {
 public:
  /// Creates the file. \param folder  folder whose disk is used; created if missing. \throws UserError if it
  /// cannot be used
  explicit Spool(const std::filesystem::path& folder);

  /// Stores a piece. \return its number, from 0 on. \throws UserError if the disk is full
  size_t add(std::string_view piece);
  std::string piece(size_t number);
  size_t size() const { return ends_.size(); }

 private:
  std::filesystem::path folder_;
  std::fstream file_;
  std::vector<std::streamoff> ends_;
};

}  // namespace parity
