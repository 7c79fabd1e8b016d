// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/twin_evidence.hpp"
#include "harness/compare/sides/side.hpp"
#include "harness/compare/twins/collapse.hpp"
#include "harness/compare/twins/rounding_size.hpp"

namespace parity::compare {

/// Number of measured floors a gap needs to count as another computation.
inline constexpr double distinct_floors = 100;

/// The gap of one quantity between two arms, measured in float32 and in float64 over the window of a check.
struct TwinGap {
  std::string quantity;  ///< "loss", or "grad layers.0.attention.wq.weight"
  bool integral = false;
  bool identical = false;  ///< the float32 arms agree in every bit
  bool estimated = false;  ///< estimated from sketches
  /// Why the gap cannot be judged, in words: a NaN, a type or a shape. "" otherwise.
  std::string broken;
  std::vector<int64_t> steps;
  Collapse collapse;
  /// Measured rounding noise: the larger of the arms' ||float32 - own float64 twin||.
  double floor = 0;
  double distance_a = 0;                 ///< ||float32 - own float64 twin|| of the reference arm
  double distance_b = 0;                 ///< ... and of the other arm
  RoundingModel model = {};              ///< of the finer dtype in which the arms recorded the quantity
  Json measured;                         ///< metrics of the float32 arms
  std::vector<results::TensorRow> rows;  ///< one row per tensor and step
  /// The first step with a gap: "at step 2: a 0.1, b 0.2 (...)"; "" if there is none.
  std::string first_text;
  std::string pattern;  ///< likely cause, if the values show one
  /// For a channel: from which step on the gap exceeds rounding, and how large it is relative to a
  /// descent.
  std::string course;
  std::optional<WorstPlace> worst;

  double floors() const;  ///< Returns gap32 / floor; infinite if only the floor is 0.
};

/// Measures every quantity of the check on the float32 arms, next to what their twins showed.
///
/// Norms run over the steps of the window, and over the elements for tensors. All tensors of one name are one
/// quantity.
/// \param twins  evidence for this check and these arms (twin_evidence_of)
/// \throws MissingEvidence if something was not recorded, or the evidence lacks a quantity
std::vector<TwinGap> measure_twin_gaps(const Check& check, const std::vector<Side>& sides,
                                       const TwinEvidence& twins);

/// Returns the sizes that decide whether a gap is as small as rounding. They include the allowance that the
/// check states, and that of arms that compute in 16 bits.
RoundingSize rounding_size_of(const TwinGap& gap, const Check& check, const Side& a, const Side& b);

/// Returns the subject of a sentence about the check: "loss and grad_norm of b and a", "grad * of b and a".
std::string subject_text(const Check& check, const std::vector<TwinGap>& gaps, const Side& a, const Side& b);

/// Joins the gaps of several quantities as one vector. The texts are those of the quantity with the largest
/// relative gap.
TwinGap join(const std::vector<TwinGap>& gaps, const std::string& quantity);

}  // namespace parity::compare
