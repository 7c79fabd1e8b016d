// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/curves/curve.hpp"

namespace parity::reports {

/// Returns "largest gap 2.4e-07 at step 7; identical at 8 of 10 steps"; if a bound judges the gap, also the
/// largest share of it: "; at most 0.15 of its bound, at step 3".
std::string gap_label(const Curve& curve, const Series& gap);

/// Returns gap_label() of each arm, after "ARM: " if there are several, and once if all are equal. Then
/// bounds on other gaps than those to the reference: "c to b: at most 0.15 of its bound, at step 3".
std::vector<std::string> gap_labels(const Curve& curve);

/// Returns "b to a" or "b to its golden" for two sides that a bound judges.
std::string pair_label(const Bound& bound);

/// Returns the origin of floors and bounds: "Floors and bounds come from 7 runs of each arm in other ways to
/// the same numbers (twin, threads): parity calibrate loss/chunked"; "" if none is drawn.
std::string calibration_label(const Case& item);

}  // namespace parity::reports
