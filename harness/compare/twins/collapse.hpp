// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parity::compare {

/// The gap between two arms in float32, and between their float64 twins. Norms over a window, measured once.
struct Collapse {
  double gap32 = 0;   ///< ||a - b||_2 of the float32 arms
  double gap64 = 0;   ///< ||a - b||_2 of their float64 twins
  double norm64 = 0;  ///< ||a||_2 of the reference's twin

  /// Returns log2(gap32 / gap64). Infinite if only gap64 is 0, -infinite if only gap32 is 0, 0 if both are 0;
  /// NaN if either is NaN.
  double log2_ratio() const;
  /// Returns gap64 / norm64; 0 if both are 0, infinite if only norm64 is 0.
  double relative64() const;
};

/// Decides whether a gap is rounding.
///
/// Rounding in arithmetic of unit roundoff u leaves a gap of A u ||q||. A is the amplification by the
/// computation, the same for both precisions. So the gap falls by 2^29 from float32 (u = 2^-24) to float64 (u
/// = 2^-53). Measured: 2^27 to 2^30 for rounding, and 2^0.0 for another computation
/// (harness/compare/README.md). Two conditions:
/// - gap32 / gap64 >= 2^20. This is 2^7 below the smallest ratio ever measured for rounding, and 2^20 above
///   that of anything else. The condition does not apply if float32 agrees in every bit, because then there
///   is no gap to fall. It does not apply either if the twins agree to the last bits of a double: gap64 <=
///   2^-51 ||q||, 2 ULPs at every step. A gap cannot fall below that. Measured: the norm of an update
///   averages rounding down to 4e-10 in float32, so one ULP of the float64 norm leaves 2^22. A calmer
///   quantity would miss 2^20 at its best.
/// - gap64 <= M 2^-53 ||q||, M = 2^10. A was at most 7 in gradients after one step and grows with the steps.
///   2^10 leaves room for the chaotic growth of tens of steps, and still finds a difference of 1.1e-13 of the
///   quantity. Without this condition a real difference of 1e-9, below a float32 gap of 1e-3, would pass as
///   rounding.
struct CollapseRule {
  double needed_log2 = 20;
  double multiple = 1024;
  double resolution = 0x1p-51;

  /// Returns whether the gap is rounding. False if anything is NaN.
  bool accepts(const Collapse& collapse) const;
  /// Returns whether the gap shrinks in float64 as rounding does, or is as small as doubles can show.
  bool falls(const Collapse& collapse) const;
  /// Returns whether the float64 gap alone is within rounding.
  bool within_rounding64(const Collapse& collapse) const;
  /// Returns "gap 4.1e-07 in float32, 6.2e-16 in float64: collapse 2^29.3, needed 2^20", with the cause if
  /// the gap is not accepted.
  std::string explain(const Collapse& collapse) const;
};

}  // namespace parity::compare
