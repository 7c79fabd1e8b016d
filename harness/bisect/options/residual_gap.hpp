// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/options/findings.hpp"

namespace parity {

/// What decides whether two runs that are not the same bits agree.
struct ResidualGapRule {
  std::vector<std::string> channels;
  double noise = 0;             ///< relative: the unit roundoff, or what repeats differ by
  bool noise_measured = false;  ///< by repeats: then no more than it is none
  std::optional<double> floor;  ///< relative; where it is given nothing else is asked
  double whole_gap = 0;         ///< between the two sides of the search
  bool by_failure = false;      ///< the sides differ in that one fails: who finishes agrees with who finishes
  int looks = 1;                ///< at the second run, which may not be the same each time
};

/// What lies between the runs of two sets over all steps, and whether it is a difference.
///
/// The same bits are none. Where the sides themselves differ by rounding only (up to 2^10 units of it) every
/// bit is one. Else float64 twins of both runs decide: a gap that collapses (CollapseRule) and is of
/// rounding's size (RoundingSizeRule) is rounding. A gap of more than 2^17 units is a difference unasked.
ResidualGap residual_gap(OptionRuns& runs, const Toggles& a, const Toggles& b, const ResidualGapRule& rule);

}  // namespace parity
