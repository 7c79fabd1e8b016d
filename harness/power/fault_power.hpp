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

namespace parity {

/// How often a fault must be seen for its size to count.
inline constexpr double wanted_power = 0.95;

/// What one half of the gate sees of one kind of fault.
struct HalfPower {
  std::optional<double> size;  ///< the smallest that is seen in `wanted_power` of the places; of a sized kind
  Tally seen;                  ///< at that size; of a kind without one, at all. At no size: at the largest
  bool rising = true;          ///< whether the next larger size was seen as well

  Json to_json() const;
};

/// What the gate sees of one kind of fault in one phase.
struct FaultPower {
  FaultKind kind = FaultKind::scale;
  Phase phase = Phase::grad;
  HalfPower arms;                   ///< checks between arms, "it trained", replicas
  std::optional<HalfPower> golden;  ///< nothing where the case has none
  Tally named;                      ///< of the faults that were seen, at or above the smallest size
  int64_t without_effect = 0;       ///< places at which it changed no bit: left out
  int64_t refused = 0;              ///< places at which it could not be put in: left out
  std::string not_applicable;       ///< why it could be put in nowhere; "" if it could
  std::vector<Trial> misnamed;      ///< a few
  std::vector<Trial> missed;        ///< a few, of a kind without a size

  Json to_json() const;
};

/// What is asked.
struct FaultQuestion {
  FaultKind kind = FaultKind::scale;
  Phase phase = Phase::grad;
  int64_t samples = 20;  ///< places, drawn by the seed
  uint64_t seed = 1;
};

/// Relative sizes that are tried: 1 and 3 times the powers of ten from 1e-14 to 1e-1. A float32 has a
/// resolution of 1.2e-7; below that only the float64 twins can see something.
const std::vector<double>& tried_sizes();

using RunTrials = std::function<std::vector<Trial>(const std::vector<Fault>&)>;

/// Measures one kind of fault in one phase.
///
/// Of a kind with a size: bisection, for each half of the gate by itself, over places that are the same at
/// every size; a size is given up as soon as more places were missed than `wanted_power` allows.
///
/// \param healthy     the arm as it is, with digests of every gradient and parameter
/// \param has_golden  whether the gate has that half
FaultPower fault_power(const FaultQuestion& question, const Trace& healthy, bool has_golden,
                       const RunTrials& run);

}  // namespace parity
