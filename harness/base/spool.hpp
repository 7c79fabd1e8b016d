// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// Pieces of text put aside on disk until the place where they belong is written. The file has no name: it is
/// gone with this object, also if the program is killed.
class Spool {
 public:
  /// \param folder  where the space is taken; made if it is not there. \throws UserError if it cannot be used
  explicit Spool(const std::filesystem::path& folder);

  /// \return the piece's number, from 0 on. \throws UserError if the disk is full
  size_t add(std::string_view piece);
  std::string piece(size_t number);
  size_t size() const { return ends_.size(); }

 private:
  std::filesystem::path folder_;
  std::fstream file_;
  std::vector<std::streamoff> ends_;
};

}  // namespace parity
