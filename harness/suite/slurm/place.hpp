// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/suite/runs/place.hpp"
#include "harness/suite/slurm/queue.hpp"
#include "harness/suite/slurm/run.hpp"
#include "harness/suite/slurm/site.hpp"
#include "harness/suite/slurm/times.hpp"

namespace parity::suite {

/// Runs as jobs of Slurm, one job for each run, in a folder that this machine and the nodes share.
///
/// A job runs `parity job`, which executes the run as this machine would and leaves a result. So this machine
/// needs the scheduler only to submit, and to learn of jobs that leave none. A process that is killed finds
/// its jobs again: OUT/jobs has a folder for each.
class SlurmPlace : public RunPlace {
 public:
  /// \param program  parity, as the nodes see it
  SlurmPlace(const Site& site, const std::filesystem::path& out, std::filesystem::path trainer,
             std::filesystem::path program, FoundJobs found_jobs);

  /// Returns the machine of the site's nodes, as a job on one of them describes it. OUT/jobs keeps the
  /// answer.
  /// \throws UserError (exit 2) if the scheduler refuses such a job, for example for its partition; (exit 3)
  /// if
  ///         there is no scheduler, or the node lacks the folder or the program
  Machine machine(Progress& progress) override;
  int capacity() const override { return queue_.site().max_jobs; }
  int size_of(const PlannedRun& /*run*/) const override { return 1; }
  std::unique_ptr<StartedRun> start(const PlannedRun& run, const RunStore& store) override;
  void end_interrupted() override { queue_.send_cancels(); }
  void poll() override { queue_.poll(); }
  std::vector<std::string> take_news() override { return queue_.take_news(); }

 private:
  void check_scheduler() const;
  Machine ask_machine(Progress& progress);
  Json site_key() const;

  std::filesystem::path out_, trainer_, program_;
  FoundJobs found_jobs_;
  JobQueue queue_;
  JobTimes times_;
};

}  // namespace parity::suite
