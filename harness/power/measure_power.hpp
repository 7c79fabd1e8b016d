// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/power/false_alarms.hpp"
#include "harness/power/fault_power.hpp"

namespace parity::power {

/// The settings of a measurement of power.
struct PowerQuestion {
  std::string arm;                      ///< that gets the faults; "": see arm_to_fault()
  std::vector<trace::FaultKind> kinds;  ///< empty: all
  int64_t samples = 20;                 ///< places for each kind and phase
  int64_t no_op_pairs = 40;
  uint64_t seed = 1;
};

/// The power of a case's gate: the smallest faults that it detects, and its false alarms.
struct Power {
  std::string case_name;
  std::string arm;
  PowerQuestion question;
  std::vector<FaultPower> faults;  ///< one for each kind and phase that could be injected
  FalseAlarms no_ops;
  std::vector<std::string> broken;  ///< checks that fail without faults, so cannot detect any

  /// Returns whether there is no false alarm, and each fault at or above the printed size is located
  /// correctly.
  bool is_clean() const;
  /// "smallest fault detected at 95 % of 20 places: grad x (1 + 3e-07), param x (1 + 1e-07); by the golden:
  /// grad x (1 + 1e-07), param x (1 + 1e-07); 0 false alarms in 40 no-op pairs".
  std::string sentence() const;
  Json to_json() const;
};

/// Returns the arm to fault if none is named: an arm of parity-train. It prefers one that a check compares
/// with another arm, then one with a golden, then one that is not the reference, then the first in the file.
/// \throws UserError if every arm is a command, which accepts no faults
std::string arm_to_fault(const suite::Case& source);

/// Called after each kind and phase, to show progress.
using PowerListener = std::function<void(const FaultPower&)>;

/// Measures the power of a case's gate.
/// \throws UserError for an unknown arm, a command arm, or an arm that does not finish; as run_arms does
Power measure_power(const suite::Case& source, const PowerQuestion& question,
                    const suite::RunSettings& options, Progress& progress,
                    const PowerListener& listener = {});

}  // namespace parity::power
