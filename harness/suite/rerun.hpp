// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity {

/// A case of the last run, and what --set had changed about it.
struct LastCase {
  std::string name;
  std::filesystem::path file;  ///< empty for one that the suite did not get to
  std::vector<std::string> settings;

  /// Whether this is that case: by its file, or by its name where the file is not known.
  bool is(const Case& item) const;
};

/// What the last run whose results lie in a folder says of its cases.
struct LastRun {
  std::vector<LastCase> held;  ///< judged, and every check and arm of it passed
  std::vector<LastCase> open;  ///< all others: they failed, were skipped, or were not judged
  std::vector<int64_t> missing_shards;
};

/// \throws UserError if there are no results there (exit 3), or they are damaged
LastRun last_run(const std::filesystem::path& out);

/// Returns the cases that the last run does not say held: open ones, changed by --set as they were then, and
/// those that it did not have. A case that held under --set did not hold as its file stands, so it is
/// returned too, unless it is to be changed in the same way.
std::vector<Case> not_held(std::vector<Case> cases, const LastRun& last,
                           const std::vector<std::string>& settings);

}  // namespace parity
