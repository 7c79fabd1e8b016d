// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/power/binomial.hpp"
#include "harness/power/fault_trials.hpp"

namespace parity::power {

/// The share of places at which the gate must detect a fault of a size for that size to count as detected.
inline constexpr double wanted_power = 0.95;

/// The power of one half of the gate against one kind of fault.
struct HalfPower {
  /// The smallest relative size that is detected at `wanted_power` of the places. Set for a kind with a size,
  /// if any tried size is detected that often.
  std::optional<double> size;
  /// Detections among places at that size, or at the largest size if none is set. For a kind without a size:
  /// among all places.
  Tally seen;
  bool rising = true;  ///< whether the next larger size was detected as well

  Json to_json() const;
};

/// The power of the gate against one kind of fault in one phase.
struct FaultPower {
  trace::FaultKind kind = trace::FaultKind::scale;
  trace::Phase phase = trace::Phase::grad;
  HalfPower arms;                   ///< checks between arms, "it trained", replicas
  std::optional<HalfPower> golden;  ///< set if the case has a golden
  Tally named;                      ///< located correctly, of detected faults at or above the smallest size
  int64_t without_effect = 0;       ///< places left out, because the fault changed no bit
  int64_t refused = 0;              ///< places left out, because the fault could not be injected
  std::string not_applicable;       ///< why no place accepts this fault; "" if some do
  std::vector<Trial> misnamed;      ///< examples of faults located wrongly
  std::vector<Trial> missed;        ///< examples of missed faults, for a kind without a size

  Json to_json() const;
};

/// The kind of fault, phase and number of places to measure.
struct FaultQuestion {
  trace::FaultKind kind = trace::FaultKind::scale;
  trace::Phase phase = trace::Phase::grad;
  int64_t samples = 20;  ///< number of places, drawn by the seed
  uint64_t seed = 1;
};

/// Returns the relative sizes to try: 1 and 3 times the powers of ten from 1e-14 to 1e-1. The resolution of
/// float32 is 1.2e-7; only float64 twins can show a smaller fault.
const std::vector<double>& tried_sizes();

using RunTrials = std::function<std::vector<Trial>(const std::vector<trace::Fault>&)>;

/// Measures one kind of fault in one phase.
///
/// For a kind with a size, it bisects over the sizes, separately for each half of the gate. The places are
/// the same at every size. It abandons a size once more places were missed than `wanted_power` allows.
///
/// \param healthy     trace of the arm without faults, with digests of every gradient and parameter
/// \param has_golden  whether the gate has a golden
FaultPower fault_power(const FaultQuestion& question, const trace::Trace& healthy, bool has_golden,
                       const RunTrials& run);

}  // namespace parity::power
