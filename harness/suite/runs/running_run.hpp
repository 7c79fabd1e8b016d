// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/processes/offspring.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/launch/local_traces.hpp"
#include "harness/suite/launch/ranks.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/runs/bounded_log.hpp"
#include "harness/suite/runs/failed_rank.hpp"
#include "harness/suite/runs/started_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// A run in execution, on this machine or where its launcher starts ranks. A run that restarts has two legs,
/// one after the other. No member function blocks.
class RunningRun : public StartedRun {
 public:
  /// Starts the first leg. The result reports a failure to start.
  RunningRun(const PlannedRun& run, const RunStore& store, const std::filesystem::path& trainer);

  /// Checks the ranks and starts the next leg if one is due. \return whether the run has ended
  bool poll() override;
  const RunResult& result() const override { return result_; }
  const PlannedRun& run() const override { return run_; }
  int64_t steps_done() const override;
  /// Ends every process of the run.
  void interrupt() override;

 private:
  struct Rank {
    std::string beat;  ///< last heartbeat read
    std::chrono::steady_clock::time_point last_sign;
    std::vector<BoundedLog> logs;
  };

  void start_leg();
  std::unique_ptr<Ranks> start_ranks(const ProcessSpec& common, const std::filesystem::path& folder);
  std::string heartbeats(int rank) const;
  void read_heartbeats();
  void fail(results::FailureKind kind, const std::string& message, int failed_rank);
  void fail(results::FailureKind kind, const std::string& message, const std::filesystem::path& log);
  bool fail_if_launch_failed();
  void fail_with_status(const WaitStatus& status, int failed_rank);
  void fail_silent(size_t quietest);
  bool look_for_failure();  ///< \return whether the run has failed
  std::vector<RankState> states();
  std::string describe(const FailedRank& failed, const std::vector<RankState>& all) const;
  std::string describe_waiting(const std::vector<RankState>& all, size_t failed) const;
  std::string last_lines(const std::filesystem::path& log) const;
  std::string describe_rank(int rank) const;
  void stop_ranks();
  void remove_rendezvous();
  bool fail_if_part_is_lost();
  std::optional<RunFailure> collect_traces();
  std::string join_parts();
  void remove_local_traces();
  void trim_logs();
  void end();
  std::filesystem::path log(const char* stream, int rank) const;
  std::string quoted_last_lines(int rank) const;

  PlannedRun run_;
  const RunStore& store_;
  std::filesystem::path trainer_;
  std::vector<Rank> ranks_;           ///< the processes that are watched
  std::unique_ptr<Ranks> processes_;  ///< null if none could start
  std::vector<Process> burners_;      ///< that compete with the run for the cores
  std::filesystem::path rendezvous_;
  std::filesystem::path local_root_;    ///< of traces; "": the ranks write them to the run's folder
  std::unique_ptr<LocalTraces> local_;  ///< of ranks that parity starts itself
  RunResult result_;
  std::string mark_ = new_offspring_mark();  ///< of its processes and of all that they start
  int leg_ = 0;
  bool ended_ = false;
  std::optional<std::chrono::steady_clock::time_point> first_failure_;  ///< when a rank lost its peer
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point next_look_;
};

}  // namespace parity::suite
