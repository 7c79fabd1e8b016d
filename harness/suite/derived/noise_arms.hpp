// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/floors.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity {

/// One run that makes noise.
struct NoiseArm {
  NoiseKind kind;
  ExtraArm arm;
};

/// Everything that is run to measure the noise of one arm.
struct NoisePlan {
  std::string arm;
  /// An arm that computes in 16 bits is judged by the noise of its float32 form: what there is rounding of
  /// 2^-24 is of 2^-8 in bfloat16.
  std::optional<ExtraArm> float32;
  std::vector<NoiseArm> noise;
  std::vector<std::string> left_out;  ///< kinds that the arm cannot have, and why

  double factor() const { return float32 ? 0x1p16 : 1; }
  /// What the noise is measured against: the arm, or its float32 form.
  std::string origin() const { return float32 ? float32->name() : arm; }
};

/// \param config   of the arm, complete
/// \param profile  of the case
/// \param repeats  how many perturbed runs, each with a seed of its own
NoisePlan plan_noise(const Arm& arm, const FlatConfig& config, Profile profile, int repeats);

}  // namespace parity
