// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parity::suite {

/// The cases that a user asked for.
struct CaseFilter {
  std::vector<std::string> what;               ///< files, folders, case names or globs over them; empty: all
  std::vector<std::string> tags;               ///< a case must have one of them; empty: any
  std::vector<std::string> without_tags = {};  ///< a case must have none of them

  bool everything() const { return what.empty() && tags.empty() && without_tags.empty(); }
};

/// Returns the wanted case files below `root` and those named directly, sorted by path, each once.
///
/// Follows a link to a folder if its target is in the repository of the folder of cases and the path to it
/// enters no folder twice.
/// \throws UserError if an entry of `what` matches nothing (names the nearest ones), if `root` is missing, or
///         if a link below it cannot be followed: a case is never left out silently
std::vector<std::filesystem::path> find_case_files(const CaseFilter& filter,
                                                   const std::filesystem::path& root);

/// Returns whether the filter's tags admit a case with these tags.
bool has_wanted_tag(const CaseFilter& filter, const std::vector<std::string>& tags);

/// Returns the tag for which a case is left out, or nothing if it runs.
///
/// A case tagged `slow` takes minutes, and one tagged `frameworks` needs packages of other people. Each runs
/// only if its name or that tag is given.
std::optional<std::string> unasked_tag(const CaseFilter& filter, const std::vector<std::string>& tags);

}  // namespace parity::suite
