// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// Returns the tensors of a step in the order of computation, without those of operators.
///
/// The phases come in the order inputs, forward, backward and so on. Inputs come as each follows from those
/// before it: what a resumed run loaded, tokens, labels, positions, documents, masks, others. What the model
/// reads of one ("read/tokens") follows it. Within other
/// phases it is the order of execution. If ranks run different layers of the model (a pipeline), it is the
/// depth in the names
/// ("layers.3.").
std::vector<trace::TensorKey> in_order_of_computation(const trace::Trace& trace, int64_t step);

/// Returns a tensor in words: "grad layers.0.wq.weight at step 3".
std::string describe(const trace::TensorKey& key);

/// Two ranks of one side that hold different values where they must hold the same.
struct SplitReplicas {
  bool of_expected = false;  ///< else of the actual side
  int64_t rank = 0;          ///< the higher rank, which the joined tensor does not show
  int64_t other = 0;

  /// Returns "rank 1 of bad differs from rank 0, although both must hold the same".
  std::string text(const std::string& expected, const std::string& actual) const;
  /// Returns {"side", "rank", "other"}.
  Json to_json() const;
};

/// An input of one side that is not what the same side had before: state that it loaded from a checkpoint, or
/// what its model reads after rows and sequences were cut.
struct ChangedState {
  bool of_expected = false;  ///< else of the actual side
  trace::TensorKey saved;    ///< the tensor after the last update before the restart, or before the cut

  /// Returns "bad continues after update 4 with another optim exp_avg/norm.weight than it had" or "the model
  /// of bad reads other labels than the update has, once rows and sequences are cut".
  std::string text(const std::string& expected, const std::string& actual) const;
};

/// A tensor that both sides have, or that one side loaded or cut and had before.
struct TensorStation {
  trace::TensorKey key;
  DType dtype = DType::float32;
  bool differs = false;  ///< whether any bit differs on any rank
  /// Set if replicas of one side differ that agree, or do not exist, on the other. The sides then differ too.
  std::optional<SplitReplicas> split;
  /// Set if one side loaded or cut other values than it had.
  std::optional<ChangedState> changed;
  /// Ranks whose own shard differs; empty if the sides shard the tensor differently.
  std::vector<int64_t> ranks;
  /// Estimate of ||actual - expected|| / ||expected||. Not set if there is no sketch.
  std::optional<double> relative;

  /// Returns whether the tensor differs by more than `least` (relative) or by NaN; 0: whether any bit
  /// differs. Replicas that differ, loaded state and cut inputs count at any size: no order of sums
  /// explains them.
  bool differs_beyond(double least) const {
    return split || changed || (differs && (least == 0 || (relative && !(*relative <= least))));
  }
};

/// One step of two runs, tensor by tensor.
struct TensorPath {
  std::vector<TensorStation> stations;  ///< common tensors, in order of computation
  std::vector<trace::TensorKey> only_in_expected;
  std::vector<trace::TensorKey> only_in_actual;
  /// Tensors of which the same ranks differ from each other on both sides, so that the sides may agree.
  std::vector<trace::TensorKey> split_on_both;

  const TensorStation* first_difference(double beyond = 0) const;
  /// Returns the last station before `of` in its phase or, if there is none, of earlier phases; may be null.
  const TensorStation* before(const TensorStation& of) const;
  size_t differing(double beyond = 0) const;
  /// Returns the station of forward or backward with the largest growth of the error (METRICS.md M11): A =
  /// E2(out) / max(largest E2 so far, floor). Considers only stations after the first difference; null if no
  /// error grows twofold.
  /// \param floor  relative rounding noise of a tensor
  const TensorStation* amplifier(double floor) const;
  /// Returns "grad_clipped has tensors in good only (51): bad does not clip, or did not record it"; "" if
  /// each phase has tensors on both sides or on none.
  std::string lone_phase_text(const std::string& expected, const std::string& actual) const;
  /// Returns [{"phase", "name", "differs", "relative"}], to draw the error over depth.
  Json to_json() const;
};

/// Compares the tensors of one step of two runs.
///
/// A tensor differs if its bits differ. If both runs have the same ranks with the same layouts, it compares
/// rank by rank, so that partial sums and replicas count. Otherwise it compares the joined tensors, and the
/// replicas of each side among themselves. What a resumed side loaded ("loaded/param/NAME") is compared with
/// what that side had after the step before, and what a model reads ("read/NAME", joined) with the update's
/// own input, as far as both were recorded.
TensorPath compare_path(const trace::Trace& expected, const trace::Trace& actual, int64_t step);

}  // namespace parity::bisect
