// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "harness/bisect/guilty_update.hpp"
#include "harness/bisect/run_probe.hpp"

namespace parity {

/// Of each tensor of an update, what rounding makes of it: the largest distance that the good side gets from
/// itself when each result, gradient and reduced gradient on the way is moved by about what another order of
/// sums moves it, in random directions (METRICS.md M6).
using NoiseFloor = std::map<TensorKey, double>;

/// A tensor that is farther off than rounding takes it.
struct BeyondFloor {
  TensorStation station;
  double floor = 0;
};

/// For sides that have no float64 twins which say more (16 bits). Tells the stage "floor".
/// \return the first such tensor in order of computation; nothing if rounding explains all
std::optional<BeyondFloor> find_beyond_floor(RunProbe& probe, GuiltyUpdate& update);

}  // namespace parity
