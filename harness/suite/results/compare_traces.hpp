// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/compare/series_difference.hpp"
#include "harness/compare/tensor_gap.hpp"
#include "harness/suite/results/compare_ranks.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// What of two traces to compare. Nothing given: everything that either has.
struct TraceFilter {
  std::optional<int64_t> step;
  std::vector<std::string> channels;  ///< globs; each must match something
  std::vector<std::string> tensors;   ///< likewise
  std::optional<Phase> phase;
  /// Traces of runs that did not end are meant: they are compared up to the last step that each has whole.
  bool partial = false;

  bool wants_channels() const { return !channels.empty() || (tensors.empty() && !phase); }
  bool wants_tensors() const { return !tensors.empty() || phase || channels.empty(); }
};

struct ChannelDifference {
  std::string name;
  std::string mismatch;  ///< why it cannot be compared ("only in the first"); "" if it can
  std::vector<int64_t> steps;
  Series expected, actual;
  SeriesDifference difference;

  bool identical() const { return mismatch.empty() && difference.identical(); }
};

struct TensorDifference {
  TensorKey key;
  std::string mismatch;
  TensorGap gap;

  bool identical() const { return mismatch.empty() && gap.identical; }
};

/// Two traces, channel by channel and tensor by tensor.
struct TraceDifference {
  DifferencePolicy policy;  ///< what was held to be equal
  std::string mismatch;     ///< why the two are not of one length; "" if they are
  std::string unfinished;   ///< which run did not end, or failed; "" if both ended well
  bool partial = false;     ///< that was meant
  int64_t last_step = 0;    ///< of the shorter trace
  std::vector<ChannelDifference> channels;
  std::vector<TensorDifference> tensors;
  RankComparison ranks;

  /// Everything is there and agrees; of a run that did not end only if that was meant.
  bool identical() const { return agrees() && (unfinished.empty() || partial); }
  /// What is there agrees.
  bool agrees() const;
  size_t differing_channels() const;
  size_t differing_tensors() const;
  /// Tensors that differ and were compared without their elements, so that the policy could not be asked.
  size_t beyond_policy() const;
  Json to_json() const;
};

/// Timing channels are left out: they never repeat. What only one side has counts as a difference, and so
/// does what single ranks recorded (compare_ranks.hpp).
/// \throws UserError if the filter matches nothing in either trace
TraceDifference compare_traces(const Trace& expected, const Trace& actual, const TraceFilter& filter,
                               TensorDetail detail = TensorDetail::numbers,
                               const DifferencePolicy& policy = {});

}  // namespace parity
