// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/options/run_curves.hpp"
#include "harness/bisect/search/delta_debugging.hpp"

namespace parity {

/// Which of two sides a run is like, from its channels up to the step at which the sides part.
///
/// With g the largest gap between the sides and u the noise, gaps up to tau = min(sqrt(u g), g / 4) count as
/// none: half of the way, on a scale of logarithms, from the noise to the difference. So an option that only
/// rounds differently is no part of a real difference. Where g is at most 16 u, every bit counts.
/// The sides part at the first step with a gap beyond tau.
///
/// A bad side that failed is another matter: who fails in the same way is like it, who finishes like the good
/// one.
/// Source: METRICS.md M7, M17.
class SideClassifier {
 public:
  /// \param good, bad  whole runs; must outlive this
  /// \param noise      relative: the unit roundoff, or what repeated runs differ by
  SideClassifier(const RunCurves& good, const RunCurves& bad, std::vector<std::string> channels,
                 double noise);

  /// Whether one bit of the channels differs, or only one side finished.
  bool differ() const { return by_failure_ || first_bit_.step > 0; }
  bool by_failure() const { return by_failure_; }
  const CurveRuler& ruler() const { return ruler_; }
  CurveGap largest() const { return largest_; }      ///< between the sides
  CurveGap first_bit() const { return first_bit_; }  ///< likewise; of any size
  CurveGap parting() const { return parting_; }      ///< the first beyond tau
  double tau() const { return tau_; }

  /// \param run  must have the steps up to parting
  Likeness of(const RunCurves& run) const;

 private:
  const RunCurves& good_;
  const RunCurves& bad_;
  CurveRuler ruler_;
  bool by_failure_;
  CurveGap largest_, first_bit_, parting_;
  double tau_ = 0;
};

/// The last step of a run, beyond any.
inline constexpr int64_t to_the_end = INT64_MAX;

}  // namespace parity
