// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/bisect/golden/facts.hpp"
#include "harness/bisect/golden/runs.hpp"
#include "harness/bisect/traces/first_step.hpp"
#include "harness/bisect/traces/tensor_path.hpp"
#include "harness/golden/diff.hpp"

namespace parity::bisect {

/// The stored tensors of one update.
struct GoldenTensors {
  int64_t step = 0;
  TensorPath path;    ///< in the run's order of computation
  double beyond = 0;  ///< relative difference up to which it is drift
  const TensorStation* first() const { return path.first_difference(beyond); }
};

/// A gradient or parameter that only the golden or only the run has.
struct LoneTensor {
  trace::TensorKey key;
  bool in_golden = false;
};

/// The difference between a run of one arm and its golden.
///
/// It counts the differences that the golden's check counts: any changed bit; in another environment, more
/// than drift; for a quantity that a check against the golden bounds, more than the bound.
struct GoldenGap {
  std::string arm;
  std::string failure;    ///< why the run ended early; "" if it did not
  int64_t last_step = 0;  ///< of the run
  bool drifts = false;    ///< bits differ, but by no more than drift
  GoldenFacts config, environment;
  GoldenFacts first_weights;                   ///< digest of the initial weights
  bool by_twins = false;                       ///< whether steps are those of the float64 twins
  std::vector<ChannelStation> first;           ///< differing channels of the first step with one
  std::vector<golden::GoldenDifference> rows;  ///< of channels that differ: how many steps, by how much
  std::vector<GoldenTensors> tensors;          ///< one for each update with tensors in the golden
  std::vector<LoneTensor> lone_tensors;        ///< at the golden's updates: not compared
  std::vector<std::string> unmatched;          ///< what only one of them has, in words
  /// What the golden or the run does not state, and what therefore cannot be named as a cause; sentences.
  std::vector<std::string> unknown;

  bool differs() const {
    return !failure.empty() || !first.empty() || first_tensors() != nullptr || !unmatched.empty();
  }
  /// Returns the tensors of the first update with a stored tensor that differs; null if none does.
  const GoldenTensors* first_tensors() const;
};

/// Returns the difference between the run of an arm and its golden.
/// \param arm       an arm that ran and that the golden holds
/// \param defaults  of the config keys of its trainer; empty if they are unknown, as a command's are
/// \throws UserError if its run left no trace (exit 4)
GoldenGap gap_to_golden(const GoldenRuns& runs, const golden::StoredGolden& golden, const std::string& arm,
                        const suite::FlatConfig& defaults);

}  // namespace parity::bisect
