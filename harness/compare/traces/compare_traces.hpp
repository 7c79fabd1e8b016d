// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/tensors/routes.hpp"
#include "harness/compare/traces/compare_ranks.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// The channels, tensors and steps of two traces to compare. By default, everything that either trace has.
struct TraceFilter {
  std::optional<int64_t> step;
  std::vector<std::string> channels;  ///< globs; each must match something
  std::vector<std::string> tensors;   ///< globs; each must match something
  std::optional<trace::Phase> phase;
  /// Accept traces of unfinished runs. They are compared up to the last step that is complete in both.
  bool partial = false;

  bool wants_channels() const { return !channels.empty() || (tensors.empty() && !phase); }
  bool wants_tensors() const { return !tensors.empty() || phase || channels.empty(); }
};

struct ChannelDifference {
  std::string name;
  std::string mismatch;  ///< why it cannot be compared ("only in the first"); "" if it can be
  std::vector<int64_t> steps;
  Series expected, actual;
  SeriesDifference difference;

  bool identical() const { return mismatch.empty() && difference.identical(); }
};

struct TensorDifference {
  trace::TensorKey key;
  std::string mismatch;
  TensorGap gap;

  bool identical() const { return mismatch.empty() && gap.identical; }
};

/// The difference between two traces, by channel and tensor.
struct TraceDifference {
  measure::DifferencePolicy policy;  ///< which differences count as equal
  std::string mismatch;              ///< why the lengths differ; "" if they are equal
  std::string unfinished;            ///< the run that did not end, or failed; "" if both ended well
  bool partial = false;              ///< whether the filter accepts unfinished runs
  int64_t last_step = 0;             ///< of the shorter trace
  std::vector<ChannelDifference> channels;
  std::vector<TensorDifference> tensors;
  std::optional<RouteAgreement> routes = {};  ///< set if both traces have routes of experts
  RankComparison ranks;

  /// Returns whether the traces agree and both runs ended well (or the filter accepts unfinished runs).
  bool identical() const { return agrees() && (unfinished.empty() || partial); }
  /// Returns whether everything that was compared agrees.
  bool agrees() const;
  size_t differing_channels() const;
  size_t differing_tensors() const;
  /// Returns the number of differing tensors that were compared without their elements, so that the policy
  /// could not be applied.
  size_t beyond_policy() const;
  Json to_json() const;
};

/// Compares two traces, channel by channel and tensor by tensor.
///
/// Leaves out timing channels, which never repeat. A channel or tensor that only one trace has is a
/// difference, and so is a difference between records of single ranks (compare_ranks.hpp).
/// \throws UserError if the filter matches nothing in either trace
TraceDifference compare_traces(const trace::Trace& expected, const trace::Trace& actual,
                               const TraceFilter& filter, TensorDetail detail = TensorDetail::numbers,
                               const measure::DifferencePolicy& policy = {});

}  // namespace parity::compare
