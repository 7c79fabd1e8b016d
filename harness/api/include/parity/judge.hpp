// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "trace.hpp"

namespace parity::api {

/// The measured rounding noise of one quantity of an arm at one step.
struct Floor {
  std::string quantity = {};  ///< "loss", or "grad layers.0.attention.wq.weight"
  int64_t step = 0;           ///< update number
  double scale = 0;           ///< |value| of a channel, L2 norm of a tensor
  double noise = 0;           ///< largest noise of all kinds, in the unit of `scale`
};

/// What is known of one arm. The traces are not owned.
struct Arm {
  const Trace* trace = nullptr;    ///< null if the run left none
  const Trace* twin = nullptr;     ///< the same run in float64; null if no check needs it
  const Trace* exact = nullptr;    ///< its exact twin; null if no check needs it
  bool crashed = false;            ///< the run did not end well
  int64_t warmup_steps = 0;        ///< last step of the window `warmup`
  bool sixteen_bits = false;       ///< it computes in 16 bits although its twin does not
  std::vector<Floor> floors = {};  ///< measured rounding noise; empty if none was measured
  int64_t first_update = 1;        ///< first update that the run was asked for
  int64_t last_update = 0;         ///< last one; 0: not stated
  int64_t ranks = 0;               ///< ranks that the run was asked for; 0: not stated
};

/// Judges a check.
///
/// A NaN agrees with nothing, not even with a NaN. The verdict is `missing` if an arm lacks a quantity, or if
/// the check would pass although something it asks for was not compared.
/// \param check  the claim
/// \param arms   every arm that the check names
/// \throws Error if the check contradicts itself; never for the content of the traces
CheckResult judge(const Check& check, const std::map<std::string, Arm>& arms);

}  // namespace parity::api
