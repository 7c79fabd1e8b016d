// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/runs/probe.hpp"

namespace parity::bisect {

/// The noise floor of each tensor of an update: the largest distance between the good side and perturbed runs
/// of it. A perturbed run moves each result, gradient and reduced gradient in a random direction, by about as
/// much as another order of sums would (METRICS.md M6).
using NoiseFloor = std::map<trace::TensorKey, double>;

/// The first difference above the measured noise floor.
struct FloorSearch {
  NoiseFloor floor;  ///< of the last update that was examined
  /// Its first tensor, in order of computation, that differs by more than rounding. Not set: rounding
  /// explains all differences.
  std::optional<TensorStation> first;

  bool is_rounding(const TensorStation& station) const;
};

/// Finds the first difference above the noise floor, for runs whose float64 twins say nothing (16 bits).
/// Records the stage "floor".
///
/// First it examines the update at which the bits diverge, which both sides start with the same state. If
/// rounding explains that update, it examines the first update with a tensor beyond what rounding makes in
/// all updates so far.
/// \post `update` is the last update that was examined
FloorSearch search_beyond_floor(RunProbe& probe, FirstBadUpdate& update);

}  // namespace parity::bisect
