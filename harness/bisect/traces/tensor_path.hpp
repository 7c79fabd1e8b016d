// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// The tensors that a trace has of a step, in the order in which a step computes them: inputs first, then
/// forward, backward and so on; within a phase by execution order, and where ranks run different parts of the
/// model (a pipeline) by the depth that the names tell ("layers.3."). Not those of operators.
std::vector<TensorKey> in_order_of_computation(const Trace& trace, int64_t step);

/// A tensor of both sides.
struct TensorStation {
  TensorKey key;
  DType dtype = DType::float32;
  bool differs = false;            ///< in bits, on any rank
  std::vector<int64_t> ranks;      ///< whose own part differs; empty where the sides hold it in other parts
  std::optional<double> relative;  ///< estimate of ||a - e|| / ||e||; nothing where no sketch has it

  /// Whether it differs by more than a relative distance, or by one that is no number; 0: in bits.
  bool differs_beyond(double least) const {
    return differs && (least == 0 || (relative && !(*relative <= least)));
  }
};

/// One step of two runs, tensor by tensor.
struct TensorPath {
  std::vector<TensorStation> stations;  ///< that both have, in order of computation
  std::vector<TensorKey> only_in_expected;
  std::vector<TensorKey> only_in_actual;

  const TensorStation* first_difference(double beyond = 0) const;
  /// The last station before `of` in its phase, or the last one of the phases before; null if there is none.
  const TensorStation* before(const TensorStation& of) const;
  size_t differing(double beyond = 0) const;
  /// The station with the largest growth of the error, over the largest one before it (METRICS.md M11), in
  /// forward and backward: A = E2(out) / max(E2 so far, floor). Only after the first difference; null if
  /// nothing grows twofold.
  /// \param floor  relative rounding noise of a tensor
  const TensorStation* amplifier(double floor) const;
  /// [{"phase", "name", "differs", "relative"}], for drawing the error over depth.
  Json to_json() const;
};

/// A tensor differs if its bits do: where both runs have the same ranks with the same layouts rank by rank,
/// so that terms of sums and replicas count, else of the joined tensor.
TensorPath compare_path(const Trace& expected, const Trace& actual, int64_t step);

}  // namespace parity
