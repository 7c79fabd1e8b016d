// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/sides/arm_evidence.hpp"

namespace parity::compare {

/// One arm of a check: its name and its trace, which exists. Pointers are not owned.
struct Side {
  std::string name;
  const trace::Trace* trace = nullptr;
  const trace::Trace* twin = nullptr;  ///< may be null
  int64_t warmup_steps = 0;
  bool sixteen_bits = false;
  const ArmFloors* floors = nullptr;
  std::string floors_problem = {};
  /// What the twins of both sides showed when they last ran, used instead of `twin`; may be null.
  const TwinEvidence* stored_twins = nullptr;
  RunUpdates updates = {};  ///< as in ArmEvidence
  int64_t ranks = 0;
};

/// Returns the side of an arm.
/// \param arm  must have a trace
Side side_of(const std::string& name, const ArmEvidence& arm);

/// Thrown inside the judge if a quantity, step or twin is missing. The check's verdict then is `missing`, and
/// the message its sentence.
class MissingEvidence : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the side with its float64 twin in place of the trace. \throws MissingEvidence if there is none
Side twin_of(const Side& side);

}  // namespace parity::compare
