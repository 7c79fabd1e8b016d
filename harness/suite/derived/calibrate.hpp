// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/bounds/bound.hpp"
#include "harness/compare/sides/floors.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/derived/noise_arms.hpp"

namespace parity::suite {

/// The noise floor of one quantity of a check, and the margin of the check's bound above it.
struct FloorLine {
  size_t check = 0;  ///< index in the case
  std::vector<std::string> arms;
  std::string quantity;
  double first = 0;  ///< relative floor at the first step that has one
  double last = 0;   ///< relative floor at the last step
  compare::Growth growth;
  std::string kind;   ///< the kind with the most noise at the last step
  std::string bound;  ///< "8 floors", "1e-06", "bits"; "" for claims without one
  /// The smallest ratio of bound to gap over the steps; infinite if the arms agree. Set if there is a bound.
  std::optional<double> headroom;

  Json to_json() const;
};

/// The distance of a 16-bit arm from its float32 form: log2 of its ratio to the noise of float32. Expected:
/// 16.
struct SixteenBits {
  std::string arm, quantity;
  double log2 = 0;
};

/// The measured noise of a case.
struct Calibration {
  compare::Floors floors;
  std::vector<FloorLine> lines;
  std::vector<SixteenBits> sixteen_bits;
  std::vector<std::string> left_out;  ///< "ARM: KIND: why"
  size_t runs = 0, cached = 0;
};

/// Largest SixteenBits::log2. A 16-bit arm may differ from its float32 form by alpha times 2^16 floors, as
/// any bound allows alpha floors.
inline constexpr double most_sixteen_bits_log2 = 19;

/// Measures the rounding noise of every quantity of every check.
///
/// Runs each arm that a check names, and variants of it that compute the same numbers in other ways
/// (noise_arms.hpp). Uses the run cache, so nothing runs twice.
/// \param repeats  number of runs with perturbed weights for each arm
/// \throws UserError if an arm itself fails (exit 4), or no check has a quantity; as run_arms
Calibration calibrate(const Case& source, int repeats, const RunSettings& options, Progress& progress);

/// Calibrates a case, and stores its floors with their origin in the case's golden file.
Calibration calibrate_and_record(const Case& source, int repeats, const RunSettings& options,
                                 Progress& progress);

/// Returns the noise from existing runs.
/// \param plans  noise plans of the arms that checks name
Calibration measure_noise(const Case& source, const std::vector<NoisePlan>& plans,
                          const std::map<std::string, compare::ArmEvidence>& arms);

}  // namespace parity::suite
