// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace parity::reports {

/// Runs each script in its own gnuplot process, then removes the scripts. They stay if one fails.
/// \param folder  where a log is kept meanwhile
/// \throws UserError (exit 3) if gnuplot is missing or fails; with its message
void run_gnuplot(const std::vector<std::filesystem::path>& scripts, const std::filesystem::path& folder);

}  // namespace parity::reports
