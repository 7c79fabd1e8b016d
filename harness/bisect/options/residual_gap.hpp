// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/options/findings.hpp"

namespace parity::bisect {

/// The criteria that decide whether two runs agree although bits differ.
struct ResidualGapRule {
  std::vector<std::string> channels;
  double noise = 0;  ///< relative: the unit roundoff, or the gap between repeats
  /// Whether repeats measured `noise`. A gap up to measured noise is not a difference.
  bool noise_measured = false;
  std::optional<double> floor;  ///< relative; if set, it is the only criterion
  double whole_gap = 0;         ///< gap between the two sides of the search
  /// Whether the sides differ in that one of them fails. Then two runs agree if both finish.
  bool by_failure = false;
  int looks = 1;  ///< number of executions of the second run, which may vary
};

/// Returns the gap between the runs of two sets over all steps, and whether the runs agree.
///
/// Runs with the same bits agree. If the two sides of the search differ only by rounding (at most 2^10 units
/// of noise), any changed bit is a difference. Otherwise float64 twins of both runs decide: a gap is rounding
/// if it collapses (CollapseRule) and has the size of rounding (RoundingSizeRule). A gap of more than 2^17
/// units is a difference without further runs.
ResidualGap residual_gap(OptionRuns& runs, const Toggles& a, const Toggles& b, const ResidualGapRule& rule);

}  // namespace parity::bisect
