// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/coverage.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/sides/side.hpp"

namespace parity::compare {

/// The gap of two runs in one quantity, step by step, in the quantity's unit.
struct GapCurve {
  std::string quantity;
  std::vector<int64_t> steps;
  std::vector<double> gap;  ///< |b - a|; for a glob ||b - a||_2 over all its tensors
  bool identical = true;
  /// What was subtracted; the tensors of a glob are one curve.
  Covered compared = {};

  double mean() const;  ///< Returns the mean over the steps; NaN if any gap is.
};

/// Returns the gap curve of a channel.
/// \param expected  the reference
/// \param actual    the same channel at the same steps
GapCurve gap_curve(const std::string& channel, const Series& expected, const Series& actual);

/// Returns a curve for each channel of a check, or one for all its tensors; with Sibling::each one for each
/// tensor. \throws MissingEvidence
std::vector<GapCurve> gap_curves(const Check& check, const Side& a, const Side& b);

/// The names of two pairs of runs in the sentence.
struct GapRatioWords {
  std::string pair;     ///< "hsdp against reference"
  std::string sibling;  ///< "fsdp against reference", "fsdp against one_process of parallel/fsdp"
};

/// Judges whether the gap of a pair is at most claim.times that of its sibling (difference in differences).
/// It compares the means over the steps in each quantity. With Sibling::rejected the claim is the opposite:
/// it passes if the gap is larger in one quantity at least, and both gaps are finite and not 0.
///
/// The verdict is `vacuous` if neither pair has a gap in any quantity, because there is nothing to compare.
/// If only the sibling has no gap, no gap passes. Verdict `rounding` means only that the pair is as close as
/// its sibling.
/// \param own      gaps of the pair
/// \param sibling  gaps of the sibling, in the same order and at the same steps
///
/// Source: METRICS.md, "difference-in-differences".
CheckResult judge_gap_ratio(const std::vector<GapCurve>& own, const std::vector<GapCurve>& sibling,
                            const Sibling& claim, const GapRatioWords& words);

}  // namespace parity::compare
