// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/suite/case.hpp"

namespace parity {

/// Files of the cases that failed in the last run whose results lie in `out`; empty if none did.
/// \throws UserError if there are no results there (exit 3)
std::vector<std::filesystem::path> failed_case_files(const std::filesystem::path& out);

/// Only the cases of these files.
std::vector<Case> only_files(std::vector<Case> cases, const std::vector<std::filesystem::path>& files);

}  // namespace parity
