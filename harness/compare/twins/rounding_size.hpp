// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/compare/checks/verdict.hpp"
#include "harness/compare/twins/collapse.hpp"
#include "harness/tensor/dtype.hpp"

namespace parity::compare {

/// The allowed rounding in the arithmetic of one dtype, in units of u ||q||: its unit roundoff times the norm
/// of the quantity.
struct RoundingModel {
  DType dtype = DType::float32;
  double roundoff = 0x1p-24;  ///< unit roundoff u
  /// Cost of an arm if the other one costs less by chance.
  double usual = 2;
  double most = 8192;  ///< limit for each arm by itself
  /// Limit for both arms if they cost the same and the gap between them does not exceed it.
  double in_common = 0x1p18;
};

/// Returns the model of a floating-point dtype. Returns that of float32 for float64 and for integers, since
/// nothing shows that such a quantity was computed in a narrower type.
RoundingModel rounding_model(DType dtype);

/// Returns the model with the larger unit roundoff.
RoundingModel wider_allowance(const RoundingModel& a, const RoundingModel& b);

/// The distance of two arms from each other and from their own float64 twins. Norms over a window.
struct RoundingSize {
  Collapse collapse;
  double distance_a = 0;  ///< ||a - own float64 twin||_2
  double distance_b = 0;
  RoundingModel model_a = {};
  RoundingModel model_b = {};
  /// Whether the arms compute in one arithmetic, so that neither may cost much more than the other.
  bool comparable = true;
  bool exact = true;  ///< no norm is an estimate from sketches
  double factor = 1;  ///< factor by which a check raises the limits

  /// Returns whether the gap between the float32 arms by itself is as small as amplified rounding.
  bool lost_in_common(double alike) const;
  /// Return what an arm costs: distance / (u ||q||). 0 if the distance is 0, infinite if only ||q|| is 0.
  double roundings_of_a() const;
  double roundings_of_b() const;
  /// Returns how much the computation amplifies rounding according to the float64 twins: gap64 / (2^-53
  /// ||q||), at most the limit of CollapseRule.
  double amplification() const;
};

/// Decides whether a gap that collapses in float64 is as small as rounding.
///
/// A gap that vanishes in float64 shows that the float64 computations agree. It does not show that float32
/// lost no more than it must. An error of the float32 path alone (a cast to a narrower type, a branch by
/// dtype) vanishes as well. An arm's distance from its own twin is all that its arithmetic lost,
///
///     d = ||q32 - q64|| = A u ||q||,
///
/// where A is the amplification by the computation. By the triangle inequality
///
///     gap32 <= d_a + d_b + gap64,
///
/// so whatever explains both distances explains the gap. Four conditions, in this order:
/// - d <= near ||q|| for both arms, near = 1/4. Otherwise the twin is not this arm in float64 (it computes
///   nothing, or another quantity) and shows nothing: `vacuous`.
/// - gap32 <= explained (d_a + d_b + gap64), explained = 2, if no norm is an estimate. This holds for any
///   four runs. If it does not, the distances belong to other runs: `vacuous`.
/// - max(d_a, d_b) <= alike * max(min(d_a, d_b), max(c, A64) u ||q||) if both arms compute in one dtype. A64
///   = gap64 / (2^-53 ||q||) is the amplification that the twins show, at most 2^10 (CollapseRule).
/// - d <= max(M, alike * A64) u ||q|| for both arms; up to 2^18 u ||q|| if gap32 <= alike * max(c, A64) u
///   ||q||. In the second case both arms lose the same, and nothing between them is lost. Usually that is
///   an update of Adam that jumps, since g / sqrt(v) has the sign of a gradient that is nothing but rounding.
///
/// If one of the last two fails, the arms compute the same mathematics and one of them loses more than
/// rounding: `imprecise`.
///
/// Measured (tests/bench/size_of_rounding.py, 2026-11-24), in units of u ||q||:
/// - Equal arms: 1,000 pairs of small decoders in PyTorch, with other orders of sums in up to 8 operators, 1
///   to 8 updates of AdamW, 106,000 quantities. Up to a rate of 3e-3 (739 pairs) none is imprecise. The
///   farther arm lost up to 22.7 times max(nearer, A64, c), 2.9 times in loss and 14 times in grad_norm. At
///   1e-2 two of 261 are imprecise; Adam takes 45 beyond the 2^10 of CollapseRule.
/// - Suite: in the evidence of its goldens the distances of float32 arms have a median of 5.6. They are at
///   most 102, except 1,190 where a rounding decides which expert gets a token, then in both arms alike.
/// - Planted faults: one operator in bfloat16 or float16 in the float32 run of one arm. The operators are
///   norm, softmax, loss, its sum, reduction, RoPE table, moments of Adam, products and the gradient's norm.
///   Each loses 107 to 17,000 in one of loss, grad_norm and update_norm, and 5,100 or more in a gradient,
///   parameter or moment.
/// - Norm: PyTorch's own float32 norm on CPUs loses 177 at 2^20 elements and 10,900 at 2^24.
struct RoundingSizeRule {
  double near = 0.25;
  double explained = 2;
  double alike = 32;

  /// Returns `rounding`, `imprecise` or `vacuous`. Never `rounding` if anything is NaN or infinite.
  Verdict judge(const RoundingSize& size) const;
  /// Return what an arm may cost at most, in units of its model.
  double limit_of_a(const RoundingSize& size) const;
  double limit_of_b(const RoundingSize& size) const;
  /// Returns the clause that explains the verdict, with the arms' names: "b loses 2^19.7 float32 roundings
  /// (at most 2^7.0), a 2^1.2: a narrower type or a cancelling sum". "" for `rounding`.
  std::string explain(const RoundingSize& size, const std::string& a, const std::string& b) const;
};

}  // namespace parity::compare
