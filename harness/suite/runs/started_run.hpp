// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// A run that a place has started (place.hpp). No member function blocks.
class StartedRun {
 public:
  StartedRun() = default;
  StartedRun(const StartedRun&) = delete;
  StartedRun& operator=(const StartedRun&) = delete;
  virtual ~StartedRun() = default;

  virtual const PlannedRun& run() const = 0;
  /// Looks at the run. \return whether it has ended, with its files in the store and `result` set
  virtual bool poll() = 0;
  virtual const RunResult& result() const = 0;
  /// Returns the number of finished updates, by the heartbeat of the slowest rank.
  virtual int64_t steps_done() const = 0;
  /// Returns whether the run is in the queue of its place and has not begun.
  virtual bool is_queued() const { return false; }
  /// Ends the run with all that it started.
  virtual void interrupt() = 0;
};

}  // namespace parity::suite
