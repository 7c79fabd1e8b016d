// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// Returns commands for gnuplot that draw one curve of a case twice, as `file`.svg and as `file`.png: the
/// arms above, their gap to the reference below, on a log axis with the rounding noise as a band.
///
/// Names are in single quotes, in which gnuplot expands nothing, and without control characters.
std::string plot_script(const Case& item, const Curve& curve, const std::filesystem::path& file);

}  // namespace parity::reports
