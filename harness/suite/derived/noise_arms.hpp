// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/sides/floors.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::suite {

/// A variant of an arm whose run shows one kind of noise.
struct NoiseArm {
  compare::NoiseKind kind;
  ExtraArm arm;
};

/// The runs that measure the noise of one arm.
struct NoisePlan {
  std::string arm;
  /// The float32 form of an arm that computes in 16 bits; its noise scales to the arm's. Rounding of 2^-24 in
  /// float32 corresponds to 2^-8 in bfloat16.
  std::optional<ExtraArm> float32;
  std::vector<NoiseArm> noise;
  std::vector<std::string> left_out;  ///< kinds that do not apply to the arm, and why

  double factor() const { return float32 ? 0x1p16 : 1; }
  /// Returns the name of the arm that the noise runs are compared with: the arm, or its float32 form.
  std::string origin() const { return float32 ? float32->name() : arm; }
};

/// Returns a fault that moves each of an arm's first weights up or down by `size` of its value.
///
/// \param size  relative: the machine epsilon of the arm's dtype for the noise of rounding
/// \param seed  of the directions
trace::Fault perturbed_weights(double size, uint64_t seed);

/// Returns the noise plan of an arm.
/// \param config   of the arm, complete
/// \param profile  of the case
/// \param repeats  number of perturbed runs, each with its own seed
NoisePlan plan_noise(const Arm& arm, const FlatConfig& config, Profile profile, int repeats);

}  // namespace parity::suite
