// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/options/findings.hpp"

namespace parity::bisect {

/// The settings of a search for options.
struct OptionQuestion {
  std::vector<std::string> channels = {};  ///< globs; empty: every numeric channel
  /// Relative gaps up to this are not a difference. Not set: float64 twins decide what is rounding.
  std::optional<double> floor = {};
  /// Number of runs of each side, to check whether it repeats itself. 0: two if it may not, else one.
  int looks = 0;
};

/// Finds the smallest sets of config differences between two arms that cause the difference of their runs.
///
/// Each round classifies runs as good or bad (SideClassifier) and finds a minimal set that turns the good run
/// into the bad one (minimal_toggles). One cause among n options takes ceil(log2 n) hybrids. The search then
/// runs the set to the end. If the remaining gap to the bad side does not collapse in float64, it is not
/// rounding, and another round searches from there. At last, the run with all other options on must be like
/// the good side. If it is not, the causes hide an effect, which the search also finds. This last step takes
/// 2 runs if there is nothing to find.
///
/// Assumption: a bad set stays bad with more options on. If this does not hold, the search may need more
/// runs, and a set is minimal in that no single element can be removed. Source: METRICS.md M17.
///
/// \param sides  a case of two arms without checks: the good one, then the bad one
/// \throws UserError if a side cannot run (exit 4, or that of its refusal), or no trace has a wanted channel
OptionFindings search_options(const suite::Case& sides, const OptionQuestion& question,
                              const suite::RunSettings& options, Progress& progress);

}  // namespace parity::bisect
