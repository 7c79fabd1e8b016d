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

namespace parity {

/// The traces of a case's arms, opened, in the form that judges take.
class Evidence {
 public:
  /// An arm with a table of names gets its tensors renamed. Runs that failed or left no readable trace become
  /// `crashed`; what their traces hold up to there is shown.
  Evidence(const PlannedCase& planned, const std::map<std::string, RunResult>& results,
           const RunStore& store);

  const std::map<std::string, ArmEvidence>& arms() const { return arms_; }
  /// Only these arms.
  std::map<std::string, ArmEvidence> arms(const std::vector<std::string>& names) const;
  const Trace* trace(const std::string& arm) const { return arms_.at(arm).trace; }
  /// Why the trace of a run that finished could not be taken; "" if it was.
  std::string problem(const std::string& run) const;

 private:
  /// Why a run gives no evidence; "" if it gives some.
  std::string failure_of(const std::string& run, const Trace* trace,
                         const std::map<std::string, RunResult>& results) const;
  const Trace* open(const std::string& run, const Arm& arm, const std::map<std::string, RunResult>& results,
                    const RunStore& store);

  std::map<std::string, std::unique_ptr<Trace>> traces_;  ///< by run
  std::map<std::string, std::string> problems_;           ///< by run
  std::map<std::string, ArmEvidence> arms_;
};

}  // namespace parity
