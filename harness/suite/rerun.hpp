// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// A case of the last run, with the settings (`--set`) that changed it.
struct LastCase {
  std::string name;
  std::filesystem::path file;  ///< empty if the suite ended before this case
  std::vector<std::string> settings;

  /// Returns whether `item` is this case: has its file, or its name where the file is not known.
  bool is(const Case& item) const;
};

/// The cases of the last run whose results are in a folder, by outcome.
struct LastRun {
  std::vector<LastCase> held;  ///< judged; every check and arm passed
  std::vector<LastCase> open;  ///< all others: failed, skipped or not judged
  std::vector<int64_t> missing_shards;
  bool proved = false;  ///< whether it ran with `--prove`
  /// When it began, by the time of its results and how long it took.
  std::filesystem::file_time_type began = {};
};

/// Reads the last run from OUT/results.json.
/// \throws UserError if `out` has no results (exit 3), or they are damaged
LastRun last_run(const std::filesystem::path& out);

/// Returns the cases that did not hold in the last run: its open cases, with the settings of that run, and
/// cases that it did not have.
///
/// A case that held only under `--set` is returned too, unless `settings` change it in the same way. So is a
/// case whose file was written since the last run began.
std::vector<Case> not_held(std::vector<Case> cases, const LastRun& last,
                           const std::vector<std::string>& settings);

}  // namespace parity::suite
