// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/html/page_parts.hpp"
#include "reports/model/suite/results.hpp"

namespace parity::reports {

/// Returns the data for curve_picture.mustache: SVG paths of the first curve of a case (its loss), the gap of
/// each arm to the reference below it, and one label of the largest gap.
///
/// The values are on a linear axis of their own. The gap is on one logarithmic axis for all cases, from 1e-10
/// to 10, so that pictures can be compared: a rounding gap is low in each. A gap of 0 is on the bottom line.
/// A case without a curve gives an empty list of pictures.
Data curve_picture(const CaseLine& item);

}  // namespace parity::reports
