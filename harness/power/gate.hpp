// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity {

/// A check of a case that held, and does not once another run stands in an arm's place.
struct Alarm {
  CheckKind kind = CheckKind::pair;
  std::string quantity;
  Verdict verdict = Verdict::different;
  std::string sentence;

  bool of_golden() const { return kind == CheckKind::golden; }
};

/// The checks of a case, and its golden, as a gate: which of them go red when a derived run stands in the
/// place of the arm it comes from?
///
/// Judged by judge_case, as in a suite. The golden is what the arms compute on this machine now: where the
/// stored one holds bit for bit it is the same, and elsewhere the question is still answered. A case without
/// a golden file has none.
class Gate {
 public:
  /// \param source  the case as it is
  /// \param runs    of a case derived from it, with more arms
  Gate(const Case& source, const ArmRuns& runs, const RunStore& store);

  /// Checks that do not hold of the case as it is: they can tell nothing. In words.
  const std::vector<std::string>& broken() const { return broken_; }
  /// What goes red with the run of arm `derived` (an arm of `runs`) in the place of `arm`. `vacuous` is no
  /// alarm: it says that two arms agree.
  std::vector<Alarm> alarms(const std::string& arm, const std::string& derived) const;
  /// The traces of the derived arm: as judged.
  Evidence evidence(const std::string& arm, const std::string& derived) const;

 private:
  PlannedCase standing_in(const std::string& arm, const std::string& derived) const;
  std::vector<JudgedCheck> judged(const PlannedCase& planned, const Evidence& evidence) const;

  const ArmRuns& runs_;
  const RunStore& store_;
  PlannedCase healthy_;
  StoredGolden golden_;
  std::vector<std::string> broken_keys_;
  std::vector<std::string> broken_;
};

}  // namespace parity
