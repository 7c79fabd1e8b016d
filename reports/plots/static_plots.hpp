// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "reports/model/results.hpp"

namespace parity::reports {

/// Draws each curve of each case with gnuplot, for pull requests: FOLDER/<case>-<channel>.svg and .png, and
/// FOLDER/plots.md that shows them under each case's verdict.
///
/// \param jobs  gnuplots that run at once
/// \return how many curves
/// \throws UserError (exit 3) if there is no gnuplot, or it fails; with its words
size_t write_plots(const ResultsFile& results, const std::filesystem::path& folder, int jobs);

}  // namespace parity::reports
