// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/compare/checks/verdict.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// The summary of a judged case that stays in memory, for counts, the exit status and cache trimming. All
/// other results are on disk.
struct CaseOutcome {
  bool passed = false;
  bool skipped = false;             ///< not judged on this machine: neither passed nor failed
  ExitCode code = ExitCode::agree;  ///< exit code of a suite of this case alone
  int64_t checks_failed = 0;
  std::map<std::string, int64_t> by_verdict;  ///< number of checks by verdict
  /// Number of checks whose verdict uses float64 twins.
  int64_t checks_on_twins = 0;
  /// Those of checks_on_twins whose twins did not run, because stored evidence is valid.
  int64_t checks_on_stored_evidence = 0;
  std::vector<std::string> runs;  ///< ids of the runs of arms and twins
};

/// Returns the summary of a case.
CaseOutcome outcome_of(const results::Case& item);

/// Returns the number of failed cases.
int64_t count_failed(const std::vector<CaseOutcome>& cases);

/// Returns the member `summary` of results.json.
Json summary_of(const std::vector<CaseOutcome>& cases, const std::map<std::string, RunResult>& runs);

/// Whether a set of cases is the whole suite or a shard of it.
enum class Part { whole, shard };

/// Returns the exit code of `parity`: that of the worst case. Skipped cases do not count. If all cases were
/// skipped, the code is `missing`, unless this is a shard.
ExitCode exit_code_of(const std::vector<CaseOutcome>& cases, Part part);

/// Returns the worse of two codes: crashed before bad_input before differ before missing before agree.
ExitCode more_severe(ExitCode a, ExitCode b);

/// Returns the verdict with this name of a failed check in results; `different` for a name that this version
/// does not know.
compare::Verdict failed_verdict_of(std::string_view name);

/// Returns the exit code of a case of results.json. An unfinished run decides it, since it explains why
/// checks failed.
/// \param failures  kinds of the failures of its arms
/// \param verdicts  verdicts of its failed checks
ExitCode exit_code_of_case(const std::vector<results::FailureKind>& failures,
                           const std::vector<compare::Verdict>& verdicts);

/// Returns a failed check about goldens, without arms.
results::Check golden_finding(const std::string& id, const std::string& quantity, compare::Verdict verdict,
                              const std::string& sentence);

/// Returns a failed case that reports a problem of the suite as a whole. Its verdict is that of the first
/// check.
results::Case suite_failure(const std::string& name, const std::string& title, const std::string& question,
                            const std::string& sentence, const std::vector<results::Check>& checks);

}  // namespace parity::suite
