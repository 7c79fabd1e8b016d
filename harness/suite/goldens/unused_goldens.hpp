// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// The folder in which goldens of the cases below `root` lie: golden beside cases.
std::filesystem::path golden_folder(const std::filesystem::path& root);

/// Every golden (*.h5) and measured power (*.power.json) in it, sorted.
std::vector<std::filesystem::path> golden_files(const std::filesystem::path& root);

/// Those that belong to no case below `root`: of a case that was renamed, deleted, or keeps no golden any
/// more. \throws UserError if a case cannot be read
std::vector<std::filesystem::path> unused_goldens(const std::filesystem::path& root);

/// They as a case of results.json that failed, a check a file, so that every report shows them.
Json unused_goldens_results(const std::vector<std::filesystem::path>& files);

}  // namespace parity
