// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/runs/failure_kind.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// What a search keeps of a run when its trace is closed again.
struct RunCurves {
  std::vector<int64_t> steps;
  std::map<std::string, Channel> channels;  ///< but those of times
  std::string first_weights;                ///< what a trainer's fingerprint says of them; "" if nothing
  std::optional<FailureKind> failure_kind;  ///< nothing if the run finished
  std::string failure;                      ///< in words

  bool finished() const { return !failure_kind; }
};

RunCurves curves_of(const Trace& trace);

/// How far apart two runs are in one channel at one step.
struct CurveGap {
  /// |a - b| over the channel's largest size; whole numbers and what only one run has are 1 apart or 0, a
  /// number that is not finite is infinitely far from all but itself
  double size = 0;
  std::string channel;  ///< the farthest
  int64_t step = 0;
  std::vector<std::string> channels = {};  ///< of CurveRuler::first: all that are beyond the limit there

  /// "loss at step 3, relative gap 1.2e-05"
  std::string text() const;
};

/// The names of both runs that match one of the patterns (globs). Without patterns: channels of numbers that
/// can round; whole numbers tell the path that a run took, not where it came to. All, where there are no
/// others.
std::vector<std::string> channels_of_interest(const RunCurves& a, const RunCurves& b,
                                              const std::vector<std::string>& patterns);

/// The gap between two runs in some channels, each measured in units of its largest size in the sides of a
/// search.
class CurveRuler {
 public:
  CurveRuler(const RunCurves& good, const RunCurves& bad, std::vector<std::string> channels);

  const std::vector<std::string>& channels() const { return channels_; }
  /// Steps that both sides have.
  const std::vector<int64_t>& steps() const { return steps_; }
  /// The largest gap up to a step, and where. A step that only one of them has counts as infinite.
  CurveGap farthest(const RunCurves& a, const RunCurves& b, int64_t last_step) const;
  /// The first gap of more than `limit`; the largest of its step. Its step is 0 if there is none.
  CurveGap first(const RunCurves& a, const RunCurves& b, double limit) const;

 private:
  double gap_at(const RunCurves& a, const RunCurves& b, int64_t step, size_t channel) const;
  CurveGap at_step(const RunCurves& a, const RunCurves& b, int64_t step) const;

  std::vector<std::string> channels_;
  std::vector<double> sizes_;  ///< one a channel
  std::vector<int64_t> steps_;
};

}  // namespace parity
