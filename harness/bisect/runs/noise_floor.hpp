// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/runs/probe.hpp"

namespace parity {

/// Of each tensor of an update, what rounding makes of it: the largest distance that the good side gets from
/// itself when each result, gradient and reduced gradient on the way is moved by about what another order of
/// sums moves it, in random directions (METRICS.md M6).
using NoiseFloor = std::map<TensorKey, double>;

/// What is more than rounding, by measurement.
struct FloorSearch {
  NoiseFloor floor;  ///< of the update that was looked at last
  std::optional<TensorStation>
      first;  ///< of its tensors, in order of computation; nothing: rounding explains all

  bool is_rounding(const TensorStation& station) const;
};

/// For sides of which float64 twins say nothing (16 bits). Looks at the update at which the bits part, which
/// both sides begin alike; then, where rounding explains it, at the first one of which a tensor is farther
/// off than rounding takes it in all updates so far. Tells the stage "floor".
/// \post `update` is the one that was looked at last
FloorSearch search_beyond_floor(RunProbe& probe, FirstBadUpdate& update);

}  // namespace parity
