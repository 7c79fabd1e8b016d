// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/checks/condition.hpp"
#include "harness/compare/sides/floors.hpp"
#include "harness/tensor/dtype.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// The updates that a run was started for, both ends included.
struct RunUpdates {
  int64_t first = 1;
  int64_t last = 0;  ///< 0: not stated

  bool known() const { return last >= first; }
};

/// The rounding that an arm's arithmetic may cost if no check states it: when it is compared with its golden
/// in another environment.
struct PrecisionAllowance {
  DType dtype = DType::float32;  ///< whose rounding is allowed
  double factor = 1;             ///< factor on the limits
};

/// Another run of an arm, for relation `repeats`.
struct Repetition {
  std::string name;  ///< "a, run 2"
  Condition under = Condition::none;
  const trace::Trace* trace = nullptr;  ///< null if the run left none
  std::string failure = {};             ///< why the run did not finish; "" if it did
};

/// What is known of one arm: its traces and measured noise. Pointers are not owned.
struct ArmEvidence {
  const trace::Trace* trace = nullptr;  ///< null if the run left none
  /// The trace of the float64 twin; null if no check needs it.
  const trace::Trace* twin = nullptr;
  bool crashed = false;
  int64_t warmup_steps = 0;  ///< end of window `warmup` and start of `after_warmup`
  /// Why the arm crashed, in words; "" if only the trace can show it.
  std::string failure = {};
  bool sixteen_bits = false;          ///< computes in 16 bits although its twin does not
  const ArmFloors* floors = nullptr;  ///< measured rounding noise; null if there is none
  /// Why there are no floors, and the command that measures them.
  std::string floors_problem = {};
  /// Digest of everything that determines the run (config, ranks, profile, inputs, command), except program
  /// and machine. "" if the run was not planned by a suite: stored evidence then never replaces its twin.
  std::string resolved = {};
  RunUpdates updates = {};  ///< updates that the case asks for
  int64_t ranks = 0;        ///< ranks that the case asks for; 0: not stated
  /// The widest allowance that a check of the case states for this arm.
  PrecisionAllowance allowance = {};
  std::vector<Repetition> repetitions = {};  ///< of the run, in their order
  const ArmEvidence* exact = nullptr;        ///< its exact twin; null if no check needs it
  /// The config keys that the suite gave a command (PARITY_CONFIG), nested. Null for an arm of parity-train,
  /// whose trace has them all, and for a run that no suite planned.
  Json given = nullptr;

  /// Returns whether the run left a complete trace that reports no failure. Only such a run may agree with
  /// another one.
  bool ended_well() const { return !crashed && trace && trace->complete() && !trace->failure(); }
};

}  // namespace parity::compare
