// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/search/chart.hpp"

namespace parity::reports {

/// Returns a chart of the values of a curve's sides over the steps; linear. Values that are not finite are at
/// the top.
Chart value_chart(const Curve& curve);

/// Returns a chart of the gaps of a curve over the steps; logarithmic.
Chart gap_chart(const Curve& curve);

}  // namespace parity::reports
