// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// Draws each curve of each case with gnuplot, for pull requests: FOLDER/<case>-<channel>.svg and .png, and
/// FOLDER/plots.md that shows them under each case's verdict.
///
/// \param jobs  gnuplot processes that run at once
/// \return the number of curves
/// \throws UserError (exit 3) if gnuplot is missing or fails; with its message
size_t write_plots(const ResultsFile& results, const std::filesystem::path& folder, int jobs);

}  // namespace parity::reports
