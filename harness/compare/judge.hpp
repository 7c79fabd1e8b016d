// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/compare/check.hpp"
#include "harness/compare/floors.hpp"
#include "harness/trace/trace.hpp"

namespace parity {

/// One arm's evidence. Pointers are not owned.
struct ArmEvidence {
  const Trace* trace = nullptr;  ///< null if the run left none
  const Trace* twin = nullptr;   ///< the float64 twin; null where no check needs it
  bool crashed = false;
  int64_t warmup_steps = 0;           ///< where the windows `warmup` and `after_warmup` meet
  std::string failure = {};           ///< why it crashed, in words; "" if only the trace can tell
  bool sixteen_bits = false;          ///< computes in 16 bits where its twin does not
  const ArmFloors* floors = nullptr;  ///< measured rounding noise; null where there is none
  std::string floors_problem = {};    ///< why there is none, and the command that measures it
  /// Digest of all that resolves its run (config, ranks, profile, inputs, command) but program and machine.
  /// "" where nobody planned it: stored evidence then never stands for its twin.
  std::string resolved = {};
};

/// Judges one check of a case.
///
/// A NaN agrees with nothing, also not with a NaN. Quantities that one side lacks give `missing`; a check
/// that matches no quantity gives `missing`. Never throws for what the traces hold.
///
/// \param arms          every arm the check names
/// \param stored_twins  what the arms' float64 twins showed when they last ran, judged instead of their
///                      twins; null: the twins are there, or none are needed
/// Source: DESIGN.md, "Judging"; METRICS.md M1-M3.
CheckResult judge(const Check& check, const std::map<std::string, ArmEvidence>& arms,
                  const TwinEvidence* stored_twins = nullptr);

}  // namespace parity
