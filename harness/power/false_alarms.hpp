// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/power/binomial.hpp"
#include "harness/power/gate.hpp"
#include "harness/power/no_ops.hpp"

namespace parity {

/// A no-op pair that the gate did not let pass.
struct FalseAlarm {
  std::string change;  ///< "resumed after update 3"
  int64_t seed = 0;    ///< of the run
  std::string sentence;
};

/// What the gate says of pairs that compute the same thing.
struct FalseAlarms {
  Tally exact;           ///< alarms among pairs that must agree bit for bit
  Tally rounding;        ///< among pairs that may differ by the order of sums
  int64_t left_out = 0;  ///< changes that the trainer refuses for this arm
  std::vector<FalseAlarm> alarms;

  Tally all() const { return {exact.hits + rounding.hits, exact.trials + rounding.trials}; }
  Json to_json() const;
};

/// Holds `pairs` no-op pairs of an arm against the case's gate: the arm as it is, and changed by one of its
/// no-ops, both from the same first weights and data. Every no-op of the config as it is comes first, in an
/// order by `seed`; then again under other seeds of the run.
///
/// An exact no-op stands in the arm's place in every check and against the golden, and its loss and gradient
/// norm must be the arm's bits. One that reorders sums stands in its place in checks of relation `equivalent`
/// and `distinct`, and must be equivalent to the arm itself.
///
/// \throws UserError as run_arms does
FalseAlarms false_alarms(const Case& source, const std::string& arm, int64_t pairs, uint64_t seed,
                         const RunSettings& options, Progress& progress);

}  // namespace parity
