// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/compare/judge.hpp"
#include "harness/compare/sides/floors.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/derived/noise_arms.hpp"

namespace parity::suite {

/// Largest relative noise that can be rounding: 2^10 times the roundoff of float32, the M of CollapseRule. A
/// kind with more noise is left out.
inline constexpr double largest_noise = 0x1p-14;

/// The channels and tensors of one arm that checks of a case measure.
struct WantedQuantities {
  std::vector<std::string> channels;  ///< floating-point only; counts have no noise
  std::vector<trace::TensorKey> tensors;
};

WantedQuantities wanted_of(const Case& source, const std::string& arm, const trace::Trace& trace);

/// Returns the noise of one arm for each step.
/// \param left_out  receives "ARM: KIND: why" for runs that failed, used other batches, or differ by more
/// than
///                  rounding
compare::ArmFloors measure_arm(const NoisePlan& plan, const WantedQuantities& wanted,
                               const std::map<std::string, compare::ArmEvidence>& arms,
                               std::vector<std::string>& left_out);

/// The gap ||a - b||_2 over the steps of a channel, and the norm ||a||_2.
struct SeriesGap {
  double gap = 0, norm = 0;

  double relative() const;
};
SeriesGap series_gap(const trace::Trace& a, const trace::Trace& b, const std::string& channel);

}  // namespace parity::suite
