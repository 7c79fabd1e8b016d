// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/record_case.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/repeats.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/case_times.hpp"
#include "harness/suite/results/file/writer.hpp"
#include "harness/suite/runs/cache.hpp"
#include "harness/suite/runs/place.hpp"
#include "harness/suite/runs/runner.hpp"
#include "harness/suite/runs/status.hpp"
#include "harness/suite/suite_options.hpp"

namespace parity::suite {

/// A suite in execution: plans cases, keeps their runs going, and judges each case once its runs have ended.
class Suite {
 public:
  Suite(const std::vector<Case>& cases, const SuiteOptions& options, Progress& progress,
        const CaseListener& finished, ResultsWriter& written);

  /// Runs the suite. \return the judged cases, in their order
  std::vector<CaseOutcome> run();

  /// Trims runs/ to its size limit. Keeps the runs of failed cases.
  CacheTrim trim(const std::vector<CaseOutcome>& cases) const;

  const std::map<std::string, RunResult>& runs() const { return runner_.results(); }
  const Machine& machine() const { return machine_; }
  /// Returns the cases that were not judged because the suite was stopped.
  const std::vector<std::string>& unfinished() const { return unfinished_; }
  bool failed_fast() const { return failed_fast_; }
  const Json& shard() const { return shard_; }

 private:
  /// Returns the twins to run first. A golden is recorded with the evidence of its twins. If it has evidence
  /// already, twins are spare, since only the end of the arms shows whether that evidence is valid.
  Twins first_twins(const Case& source) const;

  void add_case(const Case& source, Twins twins);

  /// Adds problems of the goldens as a whole after the cases, as separate cases.
  void report_goldens();
  void report_findings(size_t place, const results::Case& item);

  /// Ends the runs and starts no more.
  void stop();

  /// Reduces the plan to this shard's cases, and records in the results which cases the whole suite has.
  void keep_shard(const SuiteShard& shard);

  /// Returns whether every run of a case has ended.
  bool ended(const PlannedCase& planned) const;

  /// Returns whether a run of a case was stopped before its end.
  bool was_interrupted(const PlannedCase& planned) const;

  static golden::StoredGolden golden_of(const Case& source);

  /// Returns whether to run twins for a golden of another machine. They are needed only if bits differ.
  bool wants_golden_twins(const PlannedCase& planned, const Evidence& evidence,
                          const golden::StoredGolden& golden) const;

  /// Judges a case if its runs have ended. \return whether the case needs no more work
  bool judge_if_ready(size_t index);

  /// Returns the run to add that may show what does not repeat itself, if somebody can compare an update.
  std::optional<RunToWatch> run_to_watch(const PlannedCase& planned,
                                         const std::vector<JudgedCheck>& judged) const;

  /// Queues more runs, unless the suite was stopped.
  void run_more(const std::vector<std::string>& ids);

  bool records_golden(const PlannedCase& planned) const { return will_record(planned.source, policy_.mode); }

  /// Reports the earlier results of a case, if nothing has changed since. \return whether it did
  bool report_before(size_t place, const PlannedCase& planned, const std::string& from);

  /// Returns whether every arm of a case was answered by the cache.
  bool all_cached(const PlannedCase& planned) const;

  /// Writes a case's results to disk and passes their text to the listener. Only the outcome stays in memory.
  void report_case(size_t place, const ResultsRow& row, const CaseOutcome& outcome, const std::string& text);

  const SuiteOptions& options_;
  Progress& progress_;
  const CaseListener& finished_;
  ResultsWriter& written_;
  ContentHashes hashes_;
  const std::string program_;  ///< that judges
  RunStore store_;
  LocalPlace local_;
  RunPlace& place_;
  const Machine machine_;
  Plan plan_;
  Runner runner_;
  GoldenPolicy policy_;
  bool stopped_ = false;
  bool failed_fast_ = false;
  std::map<size_t, CaseOutcome> judged_;  ///< by index in the suite
  std::vector<std::string> unfinished_;
  RunEnds ends_;
  Json shard_;
  RunStatus status_;
};

}  // namespace parity::suite
