// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the folder of the goldens of the cases below `root`: `golden` next to `cases`.
std::filesystem::path golden_folder(const std::filesystem::path& root);

/// Returns every golden (*.h5) and measured power (*.power.json) in that folder, sorted.
std::vector<std::filesystem::path> golden_files(const std::filesystem::path& root);

/// Returns the golden files that belong to no case below `root`: the case was renamed or deleted, or it no
/// longer has a golden.
/// \throws UserError if a case cannot be read
std::vector<std::filesystem::path> unused_goldens(const std::filesystem::path& root);

/// Returns the golden files of these cases with which a case compares no arm, although the file stores some:
/// its list golden.arms is empty.
std::vector<std::filesystem::path> goldens_without_arms(const std::vector<Case>& cases);

/// Returns a failed case with one check for each unused golden, so that every report shows
/// them.
results::Case unused_goldens_results(const std::vector<std::filesystem::path>& files);

}  // namespace parity::suite
