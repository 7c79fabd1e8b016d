// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/bisect/options/oracle.hpp"

namespace parity {

/// How far the sides of a search are from themselves when they are run again.
struct SideNoise {
  double size = 0;        ///< relative: the unit roundoff of the sides, or four times what repeats differ by
  bool measured = false;  ///< repeats differ
  CurveGap largest;       ///< between repeats of one side
  Noise kind = Noise::none;
  bool flaky = false;  ///< the good side is as far from itself as from the bad one: nothing can be told
  int bad_look = 0;    ///< the repeat of the bad side that is farthest from the good one
};

/// Looks at each side again where that can be of use.
///
/// A difference of the bad side that comes and goes (four times what its repeats differ by is more than what
/// it differs from the good side) is searched by several runs of each hybrid; smaller noise raises what
/// counts as a difference; noise of the good side of that size makes the search impossible.
///
/// \param looks  at each side; 0: two where they may differ (a command, another profile than portable, a
///               GPU), else one
/// Source: METRICS.md M15.
SideNoise side_noise(OptionRuns& runs, const PlannedCase& planned, const std::vector<std::string>& channels,
                     int looks);

}  // namespace parity
