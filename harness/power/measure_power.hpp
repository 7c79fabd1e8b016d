// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/power/false_alarms.hpp"
#include "harness/power/fault_power.hpp"

namespace parity {

/// What is asked of a case.
struct PowerQuestion {
  std::string arm;               ///< that gets the faults; "": the first that is held against another
  std::vector<FaultKind> kinds;  ///< empty: every one
  int64_t samples = 20;          ///< places a kind and phase
  int64_t no_op_pairs = 40;
  uint64_t seed = 1;
};

/// How small a defect the gate of a case sees, and how often it is wrong.
struct Power {
  std::string case_name;
  std::string arm;
  PowerQuestion question;
  std::vector<FaultPower> faults;  ///< a row a kind and phase that could be put in
  FalseAlarms no_ops;
  std::vector<std::string> broken;  ///< checks that do not hold of the case as it is, and so see nothing

  /// No false alarm, and each fault at or above the printed size named where it is.
  bool is_clean() const;
  /// "smallest fault seen at 95 %: grad x (1 + 3e-07), param x (1 + 1e-07); by the golden: grad x (1 +
  /// 1e-07), param x (1 + 1e-07); 0 false alarms in 40 no-op pairs".
  std::string sentence() const;
  Json to_json() const;
};

/// The arm to fault where none is named: one of parity-train that a check holds against another arm, if there
/// is one; of these one with a golden; of these one that is not the reference; the first in the file.
/// \throws UserError if every arm is a command, which nothing can be put into
std::string arm_to_fault(const Case& source);

/// Told after each row, for whoever waits.
using PowerListener = std::function<void(const FaultPower&)>;

/// \throws UserError for an unknown arm, one that is a command, an arm that does not finish; as run_arms does
Power measure_power(const Case& source, const PowerQuestion& question, const RunSettings& options,
                    Progress& progress, const PowerListener& listener = {});

}  // namespace parity
