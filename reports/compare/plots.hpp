// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "reports/compare/comparison.hpp"

namespace parity::reports {

/// The number of channels that are drawn, in the order of curve_order(). A training that logs 200 channels
/// does not need 400 pictures.
inline constexpr size_t most_drawn = 24;

/// Draws the curves of a comparison with gnuplot, for pull requests: FOLDER/<channel>.svg and .png, and
/// FOLDER/plots.md with the verdict, the table of channels and the pictures.
///
/// \return the number of curves; at most most_drawn, which plots.md says
/// \throws UserError (exit 3) if gnuplot is missing or fails; with its message
size_t write_comparison_plots(const Comparison& comparison, const std::filesystem::path& folder);

}  // namespace parity::reports
