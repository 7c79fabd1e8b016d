// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/collapse.hpp"
#include "harness/compare/rounding_size.hpp"
#include "harness/compare/side.hpp"
#include "harness/compare/twin_evidence.hpp"

namespace parity {

/// How many measured floors a gap must have to count as another computation. Source: DESIGN.md, "Judging".
inline constexpr double distinct_floors = 100;

/// One quantity of two arms, measured in float32 and in float64 over the window of a check.
struct TwinGap {
  std::string quantity;  ///< "loss", or "grad layers.0.attention.wq.weight"
  bool integral = false;
  bool identical = false;  ///< the float32 arms agree in every bit
  bool estimated = false;  ///< from sketches
  std::string broken;      ///< a NaN, a type or a shape that makes it unjudgeable, in words; else ""
  std::vector<int64_t> steps;
  Collapse collapse;
  double floor = 0;       ///< the larger of the arms' ||float32 - own float64 twin||: measured rounding noise
  double distance_a = 0;  ///< ||float32 - own float64 twin|| of the reference arm
  double distance_b = 0;  ///< ... and of the other arm
  RoundingModel model = {};  ///< of the finer dtype that the arms recorded the quantity in
  Json measured;             ///< metrics of the float32 arms
  Json rows;                 ///< a row a tensor and step
  std::string first_text;  ///< "at step 2: a 0.1, b 0.2 (...)", the first step of a gap; "" if there is none
  std::string pattern;     ///< the likely cause, where the values show one
  std::string
      course;  ///< of a channel: from where on it is beyond rounding, and how much of a descent that is
  std::optional<WorstPlace> worst;

  double floors() const;  ///< gap32 / floor; infinite if only the floor is 0
};

/// Measures every quantity of the check on the float32 arms, next to what their twins showed.
///
/// Norms run over the steps of the window, and over the elements for tensors. A tensor's name is one
/// quantity.
/// \param twins  of this check and these arms (twin_evidence_of)
/// \throws MissingEvidence where something was not recorded, or the evidence lacks a quantity
std::vector<TwinGap> measure_twin_gaps(const Check& check, const std::vector<Side>& sides,
                                       const TwinEvidence& twins);

/// Returns what decides whether a gap is as small as rounding: with the allowance that the check states, and
/// that of arms that compute in 16 bits.
RoundingSize rounding_size_of(const TwinGap& gap, const Check& check, const Side& a, const Side& b);

/// "loss and grad_norm of b are", "grad * of b is": how a sentence about the check begins.
std::string subject_text(const Check& check, const std::vector<TwinGap>& gaps, const Side& b);

/// All of them as one vector. The sentence parts are those of the quantity with the largest relative gap.
TwinGap join(const std::vector<TwinGap>& gaps, const std::string& quantity);

}  // namespace parity
