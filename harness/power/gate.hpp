// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity::power {

/// A check of a case that passes, and fails once another run replaces an arm.
struct Alarm {
  results::CheckKind kind = results::CheckKind::pair;
  std::string quantity;
  compare::Verdict verdict = compare::Verdict::different;
  std::string sentence;

  bool of_golden() const { return kind == results::CheckKind::golden; }
};

/// The checks of a case and its golden as a gate: finds those that fail when a derived run replaces the arm
/// it is derived from.
///
/// Uses judge_case, as a suite does. As golden it takes the values that the arms compute on this machine now.
/// Where the stored golden holds bit for bit, both are the same; elsewhere the gate still works. A case
/// without a golden file has no golden here either.
class Gate {
 public:
  /// \param source  the unchanged case
  /// \param runs    runs of a case derived from it, with more arms
  Gate(const suite::Case& source, const suite::ArmRuns& runs, const suite::RunStore& store);

  /// Returns the checks that fail for the unchanged case, in words. They cannot detect anything.
  const std::vector<std::string>& broken() const { return broken_; }
  /// Returns the checks that fail when the run of `derived` (an arm of `runs`) replaces that of `arm`. A
  /// `vacuous` check is not an alarm: it says that two arms agree.
  std::vector<Alarm> alarms(const std::string& arm, const std::string& derived) const;
  /// Returns the traces that are judged when the derived arm replaces `arm`.
  suite::Evidence evidence(const std::string& arm, const std::string& derived) const;

 private:
  suite::PlannedCase planned_with(const std::string& arm, const std::string& derived) const;
  std::vector<suite::JudgedCheck> judged(const suite::PlannedCase& planned,
                                         const suite::Evidence& evidence) const;

  const suite::ArmRuns& runs_;
  const suite::RunStore& store_;
  suite::PlannedCase healthy_;
  golden::StoredGolden golden_;
  std::vector<std::string> broken_keys_;
  std::vector<std::string> broken_;
};

}  // namespace parity::power
