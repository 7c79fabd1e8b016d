// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json.hpp"
#include "harness/compare/verdict.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// What stays in memory of a judged case: enough to count it, to end with the right status and to tidy up.
/// Everything else of it is on disk.
struct CaseOutcome {
  bool passed = false;
  bool skipped = false;             ///< not judged on this machine: neither passed nor failed
  ExitCode code = ExitCode::agree;  ///< what a suite of this case alone ends with
  int64_t checks_failed = 0;
  std::map<std::string, int64_t> by_verdict;  ///< how many checks
  int64_t checks_on_twins = 0;                ///< whose verdict takes something from float64 twins
  int64_t checks_on_stored_evidence = 0;      ///< of these: whose twins did not run, since evidence stands
  std::vector<std::string> runs;              ///< ids, of arms and their twins
};

/// \param item  a case of results.json
CaseOutcome outcome_of(const Json& item);

/// How many of them failed.
int64_t count_failed(const std::vector<CaseOutcome>& cases);

/// `summary` of results.json.
Json summary_of(const std::vector<CaseOutcome>& cases, const std::map<std::string, RunResult>& runs);

/// Which of the suite's cases these are.
enum class Part { whole, shard };

/// What `parity` ends with: the worst of its cases. Skipped cases count for nothing; where there are no
/// others something is missing, unless other shards have the others.
ExitCode exit_code_of(const std::vector<CaseOutcome>& cases, Part part);

/// The worse of two: crashed before bad_input before differ before missing before agree.
ExitCode more_severe(ExitCode a, ExitCode b);

/// Returns the verdict of a failed check that results name; `different` for a name that this version does not
/// know.
Verdict failed_verdict_of(std::string_view name);

/// What a case of results.json ends with. A run that did not finish explains why its checks failed.
/// \param failures  kinds of the failures of its arms
/// \param verdicts  of its failed checks
ExitCode exit_code_of_case(const std::vector<FailureKind>& failures, const std::vector<Verdict>& verdicts);

/// A case of results.json that stands for what is wrong with the suite and no case of it; its checks failed.
Json suite_failure(const std::string& name, const std::string& title, const std::string& question,
                   const std::string& sentence, const std::string& verdict, const Json& checks);

}  // namespace parity
