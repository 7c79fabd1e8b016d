// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/bisect/options/oracle.hpp"

namespace parity::bisect {

/// The differences between repeated runs of each side of a search.
struct SideNoise {
  double size = 0;        ///< relative: unit roundoff of the sides, or four times the gap between repeats
  bool measured = false;  ///< whether repeats differ
  CurveGap largest;       ///< largest gap between repeats of one side
  Noise kind = Noise::none;
  /// Whether the good side is as far from itself as from the bad side, so that no search is possible.
  bool flaky = false;
  int bad_look = 0;  ///< the repeat of the bad side with the largest gap to the good side
};

/// Measures the noise of each side by repeated runs, where repeats may differ.
///
/// Noise is large if four times the gap between repeats is at least the gap between the sides. If the bad
/// side has large noise, its difference comes and goes, and the search runs each hybrid several times. If the
/// good side has large noise, the search is impossible. Smaller noise raises the limit of what counts as a
/// difference.
///
/// \param looks  number of runs of each side; 0: two if they may differ (a command, a profile other than
///               portable, a GPU), else one
/// Source: METRICS.md M15.
SideNoise side_noise(OptionRuns& runs, const suite::PlannedCase& planned,
                     const std::vector<std::string>& channels, int looks);

}  // namespace parity::bisect
