// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/suite/runs/started_run.hpp"
#include "harness/suite/slurm/job.hpp"
#include "harness/suite/slurm/times.hpp"

namespace parity::suite {

/// What to do with the job of an earlier process that executes the same run.
enum class FoundJobs {
  /// Continue it if a cached run would answer as well. Otherwise cancel it, since files that nobody lists may
  /// have changed since.
  continue_cacheable,
  continue_all,
  cancel,
};

/// The surroundings of a run that a scheduler executes. They outlive the run.
struct SlurmSurroundings {
  JobQueue& queue;
  JobTimes& times;
  const RunStore& store;
  std::filesystem::path jobs;     ///< OUT/jobs
  std::filesystem::path out;      ///< absolute
  std::filesystem::path program;  ///< parity
  std::filesystem::path trainer;
  FoundJobs found_jobs;
};

/// A run that a scheduler executes, in one job or, after the loss of a node or a preemption, several.
class SlurmRun : public StartedRun {
 public:
  /// Submits the run, or finds the job in which an earlier process submitted it.
  SlurmRun(const PlannedRun& run, SlurmSurroundings around);

  const PlannedRun& run() const override { return run_; }
  bool poll() override;
  const RunResult& result() const override { return result_; }
  int64_t steps_done() const override;
  bool is_queued() const override { return !job_->has_started(); }
  void interrupt() override;
  /// Returns whether an earlier process submitted the run.
  bool was_found() const { return found_; }

 private:
  std::optional<Attempt> find_job();
  void submit_again(const std::string& why);
  void take_result(const Json& result);
  void take_failure(results::FailureKind kind, const std::string& message);
  void end();

  PlannedRun run_;
  SlurmSurroundings around_;
  std::filesystem::path folder_;  ///< of the run's jobs
  bool found_ = false;
  bool has_estimate_ = false;  ///< whether the time limit is estimated from the last run
  int submissions_ = 1;
  std::unique_ptr<SlurmJob> job_;
  bool ended_ = false;
  RunResult result_;
};

}  // namespace parity::suite
