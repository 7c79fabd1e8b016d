// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/golden/runs.hpp"
#include "harness/bisect/traces/first_step.hpp"
#include "harness/bisect/traces/tensor_path.hpp"
#include "harness/golden/diff.hpp"

namespace parity {

/// What golden and run tell of themselves: keys of configs or environments that they do not share.
struct GoldenFacts {
  Json stored = Json::object(), now = Json::object();  ///< by dotted key; null where one has none
  std::string words;                                   ///< "torch is 2.10.0 in the golden and 2.11.0 here"

  bool differ() const { return !words.empty(); }
};

/// The stored tensors of one update.
struct GoldenTensors {
  int64_t step = 0;
  TensorPath path;    ///< in order of computation, as the run had it
  double beyond = 0;  ///< relative: up to this it is drift
  const TensorStation* first() const { return path.first_difference(beyond); }
};

/// How a run of one arm lies to what its golden keeps of it. What counts as a difference is what the golden's
/// check counts: bits; in another environment what is no drift; where a check against the golden bounds a
/// quantity, what is beyond its bound.
struct GoldenGap {
  std::string arm;
  std::string failure;    ///< why the run ended before its time; "" if it did not
  int64_t last_step = 0;  ///< of the run
  bool drifts = false;    ///< bits differ, by no more than drift
  GoldenFacts config, environment;
  GoldenFacts first_weights;           ///< digest of what training starts from
  bool by_twins = false;               ///< steps are those of the float64 twins
  std::vector<ChannelStation> first;   ///< channels of the first step at which one differs
  std::vector<GoldenDifference> rows;  ///< of channels that differ: how many steps, by how much
  std::vector<GoldenTensors> tensors;  ///< a row an update of which the golden has tensors
  std::vector<std::string> unmatched;  ///< what only one of them has, in words

  bool differs() const {
    return !failure.empty() || !first.empty() || first_tensors() != nullptr || !unmatched.empty();
  }
  /// Of the first update with a stored tensor that differs; null if none does.
  const GoldenTensors* first_tensors() const;
};

/// \param arm  that ran and that the golden keeps
/// \throws UserError if its run left no trace (exit 4)
GoldenGap gap_to_golden(const GoldenRuns& runs, const StoredGolden& golden, const std::string& arm);

}  // namespace parity
