// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/logs/compare/pair_channels.hpp"

namespace parity::logs {

/// How a channel of two logs differs: the gap where the difference begins, and what the difference looks
/// like.
struct Shape {
  int64_t step = 0;              ///< the first that differs
  double gap = 0;                ///< there; NaN or infinite if a value is
  std::optional<uint64_t> ulp;   ///< the gap in ULPs of float32 or float64; nothing for values without them
  bool float32_valued = false;   ///< the unit of `ulp`
  std::optional<double> noises;  ///< the gap over compare::step_noise; nothing if one is 0 or not finite
  std::string looks;             ///< a sentence; "" if none holds

  /// Returns "gap 0.0001 (5 float32 ULPs, 0.2 times the curve's noise from step to step)".
  std::string text() const;
  /// Returns {"gap", "ulp", "ulp_of", "noises", "looks"}.
  Json to_json() const;
};

/// Returns the shape of the difference of a channel; nothing if it agrees.
///
/// The sentence is the first that holds:
/// - a lag of up to 8 steps, or a constant factor; a whole factor at the first step alone is said to be there
///   (harness/compare/curves/pattern.hpp)
/// - a constant offset: all gaps agree within 1e-6 of it, and within a few ULPs of the values
/// - one step differs, or none after some step, and at least 3 steps are equal after it
/// - the gap grows: its median grows in each quarter of the steps from the first that differs, and its
///   largest is at least 10 times the first
std::optional<Shape> shape_of(const CurveDifference& row);

}  // namespace parity::logs
