// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/coverage.hpp"
#include "harness/compare/series.hpp"
#include "harness/compare/side.hpp"

namespace parity {

/// The gap of two runs in one quantity, step by step, in the quantity's unit.
struct GapCurve {
  std::string quantity;
  std::vector<int64_t> steps;
  std::vector<double> gap;  ///< |b - a|; of the tensors of a glob ||b - a||_2 over all of them
  bool identical = true;
  Covered compared = {};  ///< what was subtracted; the tensors of a glob are one curve

  double mean() const;  ///< over the steps; NaN if any is
};

/// \param expected  a channel
/// \param actual    the same at the same steps
GapCurve gap_curve(const std::string& channel, const Series& expected, const Series& actual);

/// A curve for each channel of a check, or one for all its tensors. \throws MissingEvidence
std::vector<GapCurve> gap_curves(const Check& check, const Side& a, const Side& b);

/// How the sentence names two pairs of runs.
struct GapRatioWords {
  std::string pair;     ///< "hsdp against reference"
  std::string sibling;  ///< "fsdp against reference", "fsdp against one_process of parallel/fsdp"
};

/// Difference in differences: whether the gap of a pair is at most so many times that of its sibling, in
/// each quantity, by the means over the steps.
///
/// Where neither pair has a gap in any quantity there is nothing to compare: `vacuous`. A sibling without a
/// gap lets none pass. `rounding` of a pair says only that it is as near as its sibling.
/// \param own      of the pair
/// \param sibling  of the sibling, in the same order and at the same steps
/// Source: METRICS.md, "difference-in-differences".
CheckResult judge_gap_ratio(const std::vector<GapCurve>& own, const std::vector<GapCurve>& sibling,
                            double allowed, const GapRatioWords& words);

}  // namespace parity
