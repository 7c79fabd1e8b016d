// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "harness/compare/arm_evidence.hpp"
#include "harness/compare/check.hpp"

namespace parity {

/// One arm of a check: its name and a trace that is there. Pointers are not owned.
struct Side {
  std::string name;
  const Trace* trace = nullptr;
  const Trace* twin = nullptr;  ///< may be null
  int64_t warmup_steps = 0;
  bool sixteen_bits = false;
  const ArmFloors* floors = nullptr;
  std::string floors_problem = {};
  /// What the twins of this side and the other one showed when they last ran, instead of `twin`; may be null.
  const TwinEvidence* stored_twins = nullptr;
  RunUpdates updates = {};  ///< as in ArmEvidence
  int64_t ranks = 0;
};

/// \param arm  one that left a trace
Side side_of(const std::string& name, const ArmEvidence& arm);

/// Thrown inside the judge where a quantity, step or twin is not there; becomes the verdict `missing` with
/// this message as its sentence.
class MissingEvidence : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The same side with its float64 twin in the place of the trace. \throws MissingEvidence if there is none
Side twin_of(const Side& side);

}  // namespace parity
