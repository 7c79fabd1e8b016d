// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/failure_kind.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// The data of a run that a search keeps after it has closed the trace.
struct RunCurves {
  std::vector<int64_t> steps;
  std::map<std::string, trace::Channel> channels;  ///< without timing channels
  std::string first_weights;  ///< their digest in the trainer's fingerprint; "" if missing
  std::optional<results::FailureKind> failure_kind;  ///< set if the run did not finish
  std::string failure;                               ///< message of the failure

  bool finished() const { return !failure_kind; }
};

RunCurves curves_of(const trace::Trace& trace);

/// The gap between two runs in one channel at one step.
struct CurveGap {
  /// |a - b| divided by the largest magnitude of the channel. The gap of integers, or of a value that only
  /// one run has, is 0 or 1. A non-finite number has an infinite gap to any value but itself.
  double size = 0;
  std::string channel;  ///< the channel with the largest gap
  int64_t step = 0;
  /// Set by CurveRuler::first: all channels beyond the limit at that step.
  std::vector<std::string> channels = {};

  /// Returns "loss at step 3, relative gap 1.2e-05".
  std::string text() const;
};

/// Returns the channels of both runs that match one of the patterns (globs).
///
/// Without patterns it returns the floating-point channels, or all channels if there are none. Integer
/// channels show the path that a run took, not its result.
std::vector<std::string> channels_of_interest(const RunCurves& a, const RunCurves& b,
                                              const std::vector<std::string>& patterns);

/// Measures the gap between two runs in some channels. The unit of a channel is its largest magnitude in the
/// two sides of the search.
class CurveRuler {
 public:
  CurveRuler(const RunCurves& good, const RunCurves& bad, std::vector<std::string> channels);

  const std::vector<std::string>& channels() const { return channels_; }
  /// Returns the steps that both sides have.
  const std::vector<int64_t>& steps() const { return steps_; }
  /// Returns the largest gap up to a step, with its place. A step that only one run has is an infinite gap.
  CurveGap farthest(const RunCurves& a, const RunCurves& b, int64_t last_step) const;
  /// Returns the largest gap of the first step with a gap above `limit`. Its step is 0 if there is none.
  CurveGap first(const RunCurves& a, const RunCurves& b, double limit) const;

 private:
  double gap_at(const RunCurves& a, const RunCurves& b, int64_t step, size_t channel) const;
  CurveGap at_step(const RunCurves& a, const RunCurves& b, int64_t step) const;

  std::vector<std::string> channels_;
  std::vector<double> sizes_;  ///< largest magnitude of each channel
  std::vector<int64_t> steps_;
};

}  // namespace parity::bisect
