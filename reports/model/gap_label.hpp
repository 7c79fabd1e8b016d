// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/curve.hpp"

namespace parity::reports {

/// "largest gap 2.4e-07 at step 7; identical at 8 of 10 steps"; where a bound judges the gap, also how much
/// of it that takes: "; at most 0.15 of its bound, at step 3".
std::string gap_label(const Curve& curve, const Series& gap);

/// gap_label() of each arm, after "ARM: " where there are several; once where all say the same. Then what is
/// bounded and no gap to the reference: "c to b: at most 0.15 of its bound, at step 3".
std::vector<std::string> gap_labels(const Curve& curve);

/// "b to a" or "b to its golden": of two sides that a bound judges.
std::string pair_label(const Bound& bound);

/// Where floors and bounds come from: "Floors and bounds come from 7 runs of each arm in other ways to the
/// same numbers (twin, threads): parity calibrate loss/chunked"; "" where none is drawn.
std::string calibration_label(const Case& item);

}  // namespace parity::reports
