// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/suite/extra_arms.hpp"

namespace parity {

/// How rounding noise is made of an arm: another way to the same numbers.
enum class NoiseKind {
  twin,           ///< float64 in place of float32
  perturbed,      ///< the first weights times 1 + s eps, s = +1 or -1 by a seed (METRICS.md M6)
  threads,        ///< another number of threads within an operator
  kernels,        ///< the other determinism profile: other kernels, with other orders of summation
  micro_batches,  ///< the update cut into more or fewer micro-batches, whose gradients are added up
};

template <>
struct EnumNames<NoiseKind> {
  static constexpr std::string_view what = "kind of noise";
  static constexpr std::array<std::string_view, 5> names = {"twin", "perturbed", "threads", "kernels",
                                                            "micro_batches"};
};

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
NoisePlan plan_noise(const Arm& arm, const FlatConfig& config, const std::string& profile, int repeats);

}  // namespace parity
