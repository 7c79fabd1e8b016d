// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/power/binomial.hpp"
#include "harness/power/gate.hpp"
#include "harness/power/no_ops.hpp"

namespace parity::power {

/// A no-op pair that the gate rejected.
struct FalseAlarm {
  std::string change;  ///< "resumed after update 3"
  int64_t seed = 0;    ///< of the run
  std::string sentence;
};

/// The false alarms of the gate among pairs that compute the same thing.
struct FalseAlarms {
  Tally exact;           ///< alarms among pairs that must agree bit for bit
  Tally rounding;        ///< alarms among pairs that may differ by the order of sums
  int64_t left_out = 0;  ///< changes that the trainer refuses for this arm
  std::vector<FalseAlarm> alarms;

  Tally all() const { return {exact.hits + rounding.hits, exact.trials + rounding.trials}; }
  Json to_json() const;
};

/// Measures the false alarms of the case's gate on `pairs` no-op pairs of an arm.
///
/// A pair is the arm unchanged and the arm with one of its no-ops, with the same initial weights and data.
/// The first pairs use every no-op of the unchanged config, in an order chosen by `seed`. Further pairs
/// repeat them with other seeds of the run.
///
/// An exact no-op replaces the arm in every check and in the comparison with the golden; its loss and
/// gradient norm must have the arm's bits. A no-op that reorders sums replaces the arm in checks of the
/// relations `equivalent` and `distinct`, and must be equivalent to the arm itself.
///
/// \throws UserError as run_arms does
FalseAlarms false_alarms(const suite::Case& source, const std::string& arm, int64_t pairs, uint64_t seed,
                         const suite::RunSettings& options, Progress& progress);

}  // namespace parity::power
