// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/runs/place.hpp"
#include "harness/suite/runs/started_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Executes planned runs in parallel, as many as their place has room for.
///
/// Starts runs in the order in which they were added (run_order.hpp). A run that reads another run's trace
/// waits for that run. Single-threaded; poll() never blocks for long.
class Runner {
 public:
  struct Options {
    std::filesystem::path trainer;
    int slots = 1;
    bool use_cache = true;
  };

  /// Executes runs on this machine.
  Runner(const Options& options, const RunStore& store);
  /// \param place  must outlive the runner
  Runner(RunPlace& place, bool use_cache, const RunStore& store);

  /// Queues a run. A cached run is finished at once.
  void add(const PlannedRun& run);
  /// Starts the waiting runs that fit, polls the running ones. \return ids of runs that ended since the last
  /// call
  std::vector<std::string> poll();
  bool busy() const { return !waiting_.empty() || !running_.empty(); }
  const std::map<std::string, RunResult>& results() const { return results_; }
  /// Ends the running runs and drops the waiting ones; their results say "interrupted".
  void interrupt();
  /// Returns the progress: "3/14 runs  lr/warmup_index:one_indexed 4/10  1m 05s left".
  std::string status_line() const;

 private:
  bool fail_without_environment(const PlannedRun& run);
  bool ready(const PlannedRun& run) const;
  bool drop_if_hopeless(const PlannedRun& run);
  void start_waiting();
  Advance advance() const;

  std::unique_ptr<RunPlace> own_place_;  ///< null: the place is another's
  RunPlace& place_;
  bool use_cache_;
  const RunStore& store_;
  std::list<PlannedRun> waiting_;
  std::list<std::unique_ptr<StartedRun>> running_;
  std::map<std::string, RunResult> results_;
  std::vector<std::string> ended_;
  double cost_done_ = 0;
  double cost_total_ = 0;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace parity::suite
