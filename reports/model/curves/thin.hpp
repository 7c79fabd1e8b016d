// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// Returns a curve of at most `most` steps, for a picture of a few pixels: its series and its gap, without
/// the values of goldens, floors and bounds.
///
/// Neighbouring steps are merged into one, which keeps the last value of the series and the largest gap. A
/// value that is not finite is kept before any other, so that thinning never hides one.
Curve thin_curve(const Curve& curve, size_t most);

}  // namespace parity::reports
