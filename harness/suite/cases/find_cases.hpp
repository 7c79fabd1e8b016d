// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity {

/// Which cases somebody asked for.
struct CaseFilter {
  std::vector<std::string> what;               ///< files, folders, case names or globs over names; empty: all
  std::vector<std::string> tags;               ///< a case needs one of them; empty: any
  std::vector<std::string> without_tags = {};  ///< and none of these

  bool everything() const { return what.empty() && tags.empty() && without_tags.empty(); }
};

/// Case files below `root` (and those named directly), sorted by path, each once.
/// A link to a folder is followed if it leads to a folder of the repository, the one that the folder of cases
/// lies in, and no folder is entered twice on the way.
/// \throws UserError if an entry of `what` matches nothing (the nearest names are told), `root` is missing,
/// or a link below it cannot be followed: a case is never left out silently
std::vector<std::filesystem::path> find_case_files(const CaseFilter& filter,
                                                   const std::filesystem::path& root);

/// Whether a case with these tags is wanted.
bool has_wanted_tag(const CaseFilter& filter, const std::vector<std::string>& tags);

/// Whether it is not run unasked: a case tagged `slow` takes minutes, and waits for its name or for that tag.
bool is_left_out(const CaseFilter& filter, const std::vector<std::string>& tags);

}  // namespace parity
