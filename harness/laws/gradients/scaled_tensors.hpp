// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// How clipping changed one tensor.
struct Scaled {
  std::string name;
  double factor = 1;       ///< least squares, or the quotient of the norms
  double bound = 0;        ///< of the factor, relative
  double weight = 0;       ///< squared norm of the gradient
  bool one_factor = true;  ///< whether the factor gives every element
  double clamp = 0;        ///< if the elements were cut off at one size instead: that size
};

/// Compares the phases grad and grad_clipped of a tensor. Returns nothing for a tensor of zeros, which any
/// factor leaves alone.
std::optional<Scaled> scaled_of(const RecordedRun& run, int64_t step, const std::string& name);

/// Returns the factor that carries most of the gradient's weight.
double main_factor(const std::vector<Scaled>& tensors);

}  // namespace parity::laws
