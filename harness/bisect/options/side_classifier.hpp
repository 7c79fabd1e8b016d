// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/options/run_curves.hpp"
#include "harness/bisect/search/delta_debugging.hpp"

namespace parity::bisect {

/// Decides which of two sides a run is like, from its channels up to the step at which the sides diverge.
///
/// Let g be the largest gap between the sides and u the noise. Gaps up to tau = min(sqrt(u g), g / 4) do not
/// count; sqrt(u g) is halfway from noise to difference on a logarithmic scale. So an option that only
/// changes rounding does not belong to a real difference. If g is at most 16 u, every changed bit counts. The
/// sides diverge at the first step with a gap beyond tau.
///
/// If the bad side failed, a run that fails in the same way is like it, and a run that finishes is like the
/// good side.
/// Source: METRICS.md M7, M17.
class SideClassifier {
 public:
  /// \param good, bad  whole runs; must outlive this
  /// \param noise      relative: the unit roundoff, or the gap between repeated runs
  SideClassifier(const RunCurves& good, const RunCurves& bad, std::vector<std::string> channels,
                 double noise);

  /// Returns whether any bit of the channels differs, or only one side finished.
  bool differ() const { return by_failure_ || first_bit_.step > 0; }
  bool by_failure() const { return by_failure_; }
  const CurveRuler& ruler() const { return ruler_; }
  CurveGap largest() const { return largest_; }        ///< between the sides
  CurveGap first_bit() const { return first_bit_; }    ///< the first of any size
  CurveGap divergence() const { return divergence_; }  ///< the first beyond tau
  double tau() const { return tau_; }

  /// Returns which side a run is like.
  /// \param run  must have the steps up to divergence()
  Likeness of(const RunCurves& run) const;

 private:
  const RunCurves& good_;
  const RunCurves& bad_;
  CurveRuler ruler_;
  bool by_failure_;
  CurveGap largest_, first_bit_, divergence_;
  double tau_ = 0;
};

/// The last step for a comparison of whole runs.
inline constexpr int64_t to_the_end = INT64_MAX;

}  // namespace parity::bisect
