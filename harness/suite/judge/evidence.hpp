// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "harness/compare/judge.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/store.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::suite {

/// The open traces of a case's arms, in the form that relations judge.
class Evidence {
 public:
  /// Opens the traces and renames the tensors of arms with a table of names. An arm whose run failed or left
  /// no readable trace becomes `crashed`; the steps that its trace has are still shown.
  Evidence(const PlannedCase& planned, const std::map<std::string, RunResult>& results,
           const RunStore& store);

  const std::map<std::string, compare::ArmEvidence>& arms() const { return arms_; }
  /// Returns only these arms.
  std::map<std::string, compare::ArmEvidence> arms(const std::vector<std::string>& names) const;
  const trace::Trace* trace(const std::string& arm) const { return arms_.at(arm).trace; }
  /// Returns why the trace of a finished run could not be opened; "" if it could.
  std::string problem(const std::string& run) const;

 private:
  /// Returns why a run gives no evidence; "" if it gives some.
  std::string failure_of(const std::string& run, const trace::Trace* trace,
                         const std::map<std::string, RunResult>& results) const;
  /// Returns the evidence of an arm's exact twin, which trained the first updates of the arm.
  compare::ArmEvidence exact_evidence(const PlannedCase& planned, const PlannedArm& arm,
                                      const std::map<std::string, RunResult>& results, const RunStore& store);
  const trace::Trace* open(const std::string& run, const Arm& arm,
                           const std::map<std::string, RunResult>& results, const RunStore& store);

  std::map<std::string, std::unique_ptr<trace::Trace>> traces_;  ///< by run
  std::map<std::string, std::string> problems_;                  ///< by run
  std::map<std::string, compare::ArmEvidence> arms_;
  std::map<std::string, compare::ArmEvidence> exact_;  ///< exact twins, by arm
};

}  // namespace parity::suite
