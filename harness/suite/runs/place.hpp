// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/started_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Where runs execute: this machine (LocalPlace) or the nodes of a scheduler (slurm/place.hpp).
///
/// The plan, the order of runs and their judgement do not depend on the place. A place starts runs and
/// watches them.
class RunPlace {
 public:
  RunPlace() = default;
  RunPlace(const RunPlace&) = delete;
  RunPlace& operator=(const RunPlace&) = delete;
  virtual ~RunPlace() = default;

  /// Returns the facts about the machines there that decide the bits of a run. May take a while the first
  /// time.
  virtual Machine machine(Progress& progress) = 0;
  /// Returns how much runs at a time, in units of size_of().
  virtual int capacity() const = 0;
  virtual int size_of(const PlannedRun& run) const = 0;
  /// Starts a run. The result of the started run reports a failure to start.
  virtual std::unique_ptr<StartedRun> start(const PlannedRun& run, const RunStore& store) = 0;
  /// Called after runs were interrupted, all at once.
  virtual void end_interrupted() {}
  /// Called before the runs are polled. Never blocks.
  virtual void poll() {}
  /// Returns what a reader should know about the place, since the last call.
  virtual std::vector<std::string> take_news() { return {}; }
};

/// Runs ranks as processes of this machine, as many as its core slots allow (ranks x threads for each run).
class LocalPlace : public RunPlace {
 public:
  LocalPlace(std::filesystem::path trainer, int slots) : trainer_(std::move(trainer)), slots_(slots) {}

  Machine machine(Progress& /*progress*/) override { return this_machine(); }
  int capacity() const override { return slots_; }
  int size_of(const PlannedRun& run) const override { return run.slots(); }
  std::unique_ptr<StartedRun> start(const PlannedRun& run, const RunStore& store) override;

 private:
  std::filesystem::path trainer_;
  int slots_;
};

}  // namespace parity::suite
