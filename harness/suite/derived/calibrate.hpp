// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/bound.hpp"
#include "harness/compare/floors.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/derived/noise_arms.hpp"

namespace parity {

/// A quantity of a check, what noise it has, and how far the check's bound lies above it.
struct FloorLine {
  size_t check = 0;  ///< position in the case
  std::vector<std::string> arms;
  std::string quantity;
  double first = 0;  ///< relative floor at the first step that has one
  double last = 0;   ///< at the last step
  Growth growth;
  std::string kind;   ///< the noisiest, at the last step
  std::string bound;  ///< "8 floors", "1e-06", "bits"; "" for claims without one
  /// Limit over gap where the arms come nearest to it; infinite where they agree; nothing without a bound.
  std::optional<double> headroom;

  Json to_json() const;
};

/// How far 16 bits take an arm from its float32 form, in powers of two of float32's own noise: 16 expected.
struct SixteenBits {
  std::string arm, quantity;
  double log2 = 0;
};

/// What was measured of a case.
struct Calibration {
  Floors floors;
  std::vector<FloorLine> lines;
  std::vector<SixteenBits> sixteen_bits;
  std::vector<std::string> left_out;  ///< "ARM: KIND: why"
  size_t runs = 0, cached = 0;
};

/// A 16-bit arm may lie alpha times 2^16 floors from its float32 form, as any bound allows alpha floors.
inline constexpr double most_sixteen_bits_log2 = 19;

/// Measures the rounding noise of every quantity of every check: runs each arm that a check names beside
/// other ways to the same numbers (noise_arms.hpp), through the run cache, so that nothing is run twice.
/// \param repeats  runs with perturbed weights an arm
/// \throws UserError if an arm itself fails (exit 4), or no check has a quantity; as run_arms
Calibration calibrate(const Case& source, int repeats, const RunSettings& options, Progress& progress);

/// The same from runs that are there.
/// \param plans  of the arms that checks name
Calibration measure_noise(const Case& source, const std::vector<NoisePlan>& plans,
                          const std::map<std::string, ArmEvidence>& arms);

}  // namespace parity
