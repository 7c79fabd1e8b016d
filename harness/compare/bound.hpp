// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/series.hpp"
#include "harness/compare/side.hpp"
#include "harness/compare/tensor_gap.hpp"

namespace parity {

/// The gap of one quantity at one step, beside its measured floor.
struct BoundedStep {
  int64_t step = 0;
  double gap = 0;    ///< |b - a|; of a tensor ||b - a||_2
  double scale = 0;  ///< |a|; of a tensor ||a||_2
  double floor = 0;  ///< in the same unit
  std::string text;  ///< "a 0.1, b 0.2 (1 float32 ULP, ...)"; "" where the bits agree
  std::vector<int64_t> index;
  std::optional<double> expected, actual;

  double floors() const;    ///< gap / floor; 0 if both are 0, infinite if only the floor is
  double relative() const;  ///< gap / scale, likewise
  double relative_floor() const;
};

/// One quantity over the steps of a check.
struct BoundedGap {
  std::string quantity;
  bool identical = true;
  bool estimated = false;  ///< from sketches
  std::string broken;      ///< why no bound can hold: a NaN, a count that differs, another shape; else ""
  std::vector<BoundedStep> steps;
};

/// How far two runs may lie apart.
///
/// Without a tolerance: `alpha` floors at each step, so that early steps are exact where rounding has not
/// shown yet, and later ones follow the measured growth (METRICS.md M6, M7; alpha 3 to 10). With one: the
/// relative gap at each step, except that steps whose floor is 0 are exact.
struct BoundRule {
  double alpha = 8;
  double loosest = 1000;            ///< a tolerance above so many floors tests nothing
  std::optional<double> tolerance;  ///< relative
  bool reasoned = false;            ///< somebody said why the tolerance is not the floor's

  double limit(const BoundedStep& step) const;
  /// How much of its limit a gap takes; above 1 it does not hold.
  double use(const BoundedStep& step) const;
  /// Why the tolerance is refused: below the floor of a quantity, or far above it; "" if it is not.
  std::string refusal(const std::vector<BoundedGap>& gaps) const;
};

BoundRule rule_of(const Check& check);

/// How sentences name the two sides.
struct BoundWords {
  std::string expected_name;  ///< "whole", "the golden"
  std::string actual_name;
  std::string subject;  ///< "loss and grad_norm of b are": what is claimed of
};

/// The floor of a quantity at a step: the larger of those of the arms.
/// \throws MissingEvidence where an arm has none, with the command that measures it
double floor_of(const std::vector<Side>& arms, const std::string& quantity, int64_t step);

/// \param floor_arms  whose floors count: both arms, or the one that is held against its golden
BoundedGap bounded_series(const std::string& channel, const Series& expected, const Series& actual,
                          const std::vector<Side>& floor_arms, const BoundWords& words);
/// Adds one tensor at one step to its quantity.
void add_bounded_tensor(BoundedGap& gap, const TensorSource& expected, const TensorSource& actual,
                        const std::vector<Side>& floor_arms, const BoundWords& words);

/// All quantities of a check between two arms. \throws MissingEvidence
std::vector<BoundedGap> measure_bounded(const Check& check, const std::vector<Side>& sides);

/// "loss and grad_norm of b are": of what was measured.
std::string bounded_subject(const Check& check, const std::vector<BoundedGap>& gaps,
                            const std::string& actual);

/// `identical`, `rounding`, `different`; `vacuous` where the tolerance is refused.
CheckResult judge_bound(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words);

}  // namespace parity
