// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/search/chart.hpp"
#include "reports/search/record.hpp"

namespace parity::reports {

/// Returns a chart of the relative error of each tensor of an update, in order of computation; logarithmic,
/// with 0 on a line of its own. A tensor that differs by an unknown error is on that line too, in the colour
/// of a failure.
Chart depth_chart(const Depth& depth);

/// Returns "The first that differs is forward layers.0 (relative L2 2e-07); it grows most at ..."; empty if
/// none differs.
std::string depth_sentence(const Depth& depth);

}  // namespace parity::reports
