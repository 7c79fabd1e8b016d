// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity::reports {

/// Returns the place of the plotting library of the pages, whether it is there or not: share/parity next to
/// the folder of the program, in a build and when installed. Pages draw their plots without it too.
std::filesystem::path plot_library();

/// Copies the plotting library into a folder. \return false if it is not installed
/// \throws UserError if it cannot be written
bool copy_plot_library(const std::filesystem::path& folder);

}  // namespace parity::reports
