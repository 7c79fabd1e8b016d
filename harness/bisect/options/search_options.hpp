// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/options/findings.hpp"

namespace parity {

/// How options are searched.
struct OptionQuestion {
  std::vector<std::string> channels = {};  ///< globs; empty: every channel of numbers
  /// Relative gaps up to this are no difference; nothing: what float64 twins show to be rounding
  std::optional<double> floor = {};
  int looks = 0;  ///< at each side, to see whether it agrees with itself; 0: two where it may not, else one
};

/// The smallest sets of config differences between two arms that carry the difference of their runs.
///
/// Each round takes a good and a bad run apart (SideClassifier), and finds a set that makes the one into the
/// other and holds nothing it could do without (minimal_toggles): ceil(log2 n) hybrids for one culprit among
/// n. The set is then run to the end. What is left to the bad side and is no rounding (the gap does not
/// collapse in float64) is searched again from there. In the end everything but the culprits must be like
/// the good side; what is not has an effect that the culprits hide, and is searched too: 2 runs if there is
/// nothing more to be found.
///
/// Assumption: what is bad stays bad with more options on. Where it does not hold a set may cost more runs,
/// and is minimal in that no element can be left out. Source: METRICS.md M17.
///
/// \param sides  a case of two arms without checks: the good one, then the bad one
/// \throws UserError if a side cannot be run (exit 4, or that of its refusal), or channels that were asked
/// for
///         are in no trace
OptionFindings search_options(const Case& sides, const OptionQuestion& question, const RunSettings& options,
                              Progress& progress);

}  // namespace parity
