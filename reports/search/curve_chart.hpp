// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/search/chart.hpp"

namespace parity::reports {

/// The values of a curve's sides over the steps; linear. What is no number lies at the top.
Chart value_chart(const Curve& curve);

/// The gaps of a curve over the steps; logarithmic.
Chart gap_chart(const Curve& curve);

}  // namespace parity::reports
