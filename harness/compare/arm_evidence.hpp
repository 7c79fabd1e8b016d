// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/compare/floors.hpp"
#include "harness/tensor/dtype.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// The updates that a run was started for, both ends included.
struct RunUpdates {
  int64_t first = 1;  ///< update number
  int64_t last = 0;   ///< 0: nobody said how many

  /// Returns whether somebody said how many.
  bool known() const { return last >= first; }
};

/// What an arm's arithmetic may cost where no check says it: against its golden in another environment.
struct PrecisionAllowance {
  DType dtype = DType::float32;  ///< whose rounding is allowed
  double factor = 1;             ///< times the limits
};

/// One arm's evidence. Pointers are not owned.
struct ArmEvidence {
  const Trace* trace = nullptr;  ///< null if the run left none
  const Trace* twin = nullptr;   ///< the float64 twin; null where no check needs it
  bool crashed = false;  ///< whether the run did not finish
  int64_t warmup_steps = 0;           ///< where the windows `warmup` and `after_warmup` meet
  std::string failure = {};           ///< why it crashed, in words; "" if only the trace can tell
  bool sixteen_bits = false;          ///< computes in 16 bits where its twin does not
  const ArmFloors* floors = nullptr;  ///< measured rounding noise; null where there is none
  std::string floors_problem = {};    ///< why there is none, and the command that measures it
  /// Digest of all that resolves its run (config, ranks, profile, inputs, command) but program and machine.
  /// "" where nobody planned it: stored evidence then never stands for its twin.
  std::string resolved = {};
  RunUpdates updates = {};            ///< what the case asks of the run
  int64_t ranks = 0;                  ///< likewise; 0: nobody said
  PrecisionAllowance allowance = {};  ///< the widest that a check of the case states for this arm

  /// Whether its run left a complete trace that reports no failure: nothing else may agree with anything.
  bool ended_well() const { return !crashed && trace && trace->complete() && !trace->failure(); }
};

}  // namespace parity
