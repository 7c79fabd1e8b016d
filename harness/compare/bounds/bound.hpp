// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/sides/side.hpp"
#include "harness/compare/tensors/gap.hpp"

namespace parity::compare {

/// The gap of one quantity at one step, next to its measured floor. Side a is the expected one, b the actual
/// one.
struct BoundedStep {
  int64_t step = 0;
  double gap = 0;    ///< |b - a|; for a tensor ||b - a||_2
  double scale = 0;  ///< |a|; for a tensor ||a||_2
  double floor = 0;  ///< measured noise, in the unit of `gap`
  /// "a 0.1, b 0.2 (1 float32 ULP, ...)"; "" if the bits agree.
  std::string text;
  std::vector<int64_t> index;
  std::optional<double> expected, actual;

  /// Returns gap / floor; 0 if both are 0, infinite if only the floor is.
  double floors() const;
  /// Returns gap / scale; 0 if both are 0, infinite if only the scale is.
  double relative() const;
  double relative_floor() const;
};

/// The gap of one quantity over the steps of a check.
struct BoundedGap {
  std::string quantity;
  bool identical = true;
  bool estimated = false;  ///< estimated from sketches
  /// Why no bound can hold: a NaN, a count that differs, another shape. "" otherwise.
  std::string broken;
  std::vector<BoundedStep> steps;
};

/// How far apart two runs may be.
///
/// Without a tolerance, the limit is `alpha` floors at each step. Early steps, before rounding has appeared,
/// must be exact; later ones follow the measured growth (METRICS.md M6, M7; alpha 3 to 10). With a tolerance,
/// the limit is on the relative gap at each step, but steps whose floor is 0 must be exact.
struct BoundRule {
  double alpha = 8;
  double loosest = 1000;            ///< a tolerance above so many floors tests nothing
  std::optional<double> tolerance;  ///< relative gap
  bool reasoned = false;            ///< the case states why the tolerance is not the floor's

  double limit(const BoundedStep& step) const;
  /// Returns the gap divided by its limit; the bound is exceeded above 1.
  double use(const BoundedStep& step) const;
  /// Returns why the tolerance is refused: below the floor of a quantity, or far above it. "" if it is
  /// accepted.
  std::string refusal(const std::vector<BoundedGap>& gaps) const;
};

/// Returns the rule that a check states.
BoundRule rule_of(const Check& check);

/// The names of the two sides in sentences.
struct BoundWords {
  std::string expected_name;  ///< "whole", "the golden"
  std::string actual_name;
  /// What the claim is about: "loss and grad_norm of b and a".
  std::string subject;
};

/// Returns the floor of a quantity at a step: the larger of the arms' floors.
/// \throws MissingEvidence with the command that measures it if an arm has none
double floor_of(const std::vector<Side>& arms, const std::string& quantity, int64_t step);

/// Measures the gap of a channel at each step.
/// \param floor_arms  arms whose floors count: both arms, or the one that is compared with its golden
BoundedGap bounded_series(const std::string& channel, const Series& expected, const Series& actual,
                          const std::vector<Side>& floor_arms, const BoundWords& words);
/// Adds the gap of one tensor at one step to its quantity.
void add_bounded_tensor(BoundedGap& gap, const TensorSource& expected, const TensorSource& actual,
                        const std::vector<Side>& floor_arms, const BoundWords& words);

/// Measures all quantities of a check between two arms. \throws MissingEvidence
std::vector<BoundedGap> measure_bounded(const Check& check, const std::vector<Side>& sides);

/// Returns the subject of the sentence for what was measured: "loss and grad_norm of b and a".
std::string bounded_subject(const Check& check, const std::vector<BoundedGap>& gaps,
                            const std::string& expected, const std::string& actual);

/// Judges the gaps: `identical`, `rounding` or `different`; `vacuous` if the tolerance is refused.
CheckResult judge_bound(const std::vector<BoundedGap>& gaps, const BoundRule& rule, const BoundWords& words);

}  // namespace parity::compare
