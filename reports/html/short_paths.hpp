// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace parity::reports {

/// Rewrites the absolute paths in a text, so that a report that leaves its machine does not name the folders
/// of the person who made it.
///
/// | path                          | becomes             |
/// |-------------------------------|---------------------|
/// | below the working directory   | relative to it      |
/// | below the home directory      | `~/` and the rest   |
/// | any other                     | `…/` and its end    |
///
/// A path begins at a quote, a bracket, a space or the like, with the name of a folder that this machine's
/// root has or that is common elsewhere (`/home`, `/Users`, ...). It ends at the next space, quote or
/// bracket. Other text with slashes, such as the name of a case or `/dev/null`, is kept.
class ShortPaths {
 public:
  /// Uses the working directory and $HOME.
  ShortPaths();
  /// \param work, home  absolute; a home of "" or "/" is ignored
  ShortPaths(const std::filesystem::path& work, const std::filesystem::path& home);

  /// Rewrites text that may be HTML or JSON; the syntax of both stays unchanged.
  std::string in(std::string_view text) const;

 private:
  std::string shortened(const std::string& path) const;

  std::string work_, home_;
};

}  // namespace parity::reports
