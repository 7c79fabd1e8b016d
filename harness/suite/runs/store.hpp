// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/json.hpp"
#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/failure_kind.hpp"

namespace parity {

/// Why a run did not finish.
struct RunFailure {
  FailureKind kind = FailureKind::crashed;
  std::string message;  ///< a sentence with rank, step and reason

  Json to_json() const { return {{"kind", name_of(kind)}, {"message", message}}; }
};

/// How a run ended.
struct RunResult {
  std::filesystem::path folder;
  bool cached = false;
  double seconds = 0;
  std::string ended;  ///< when, UTC: "2026-11-23T10:00:00Z"
  std::optional<RunFailure> failure;
  std::string stderr_tail;
  std::filesystem::path log;  ///< what the rank that failed wrote to stderr; empty if nothing

  bool complete() const { return !failure; }
};

/// Folder `runs` of an output folder: runs/<id>/{run.json, config.json, capture.json, trace.h5, stdout,
/// stderr, ...}.
///
/// run.json is written last, so that a folder without it is of a run that was killed.
class RunStore {
 public:
  explicit RunStore(const std::filesystem::path& out) : runs_(out / "runs") {}

  const std::filesystem::path& runs() const { return runs_; }
  std::filesystem::path folder(const std::string& id) const { return runs_ / id; }
  std::filesystem::path trace(const std::string& id) const { return folder(id) / "trace.h5"; }
  /// Folder of the checkpoint that a run left after an update; absolute. \throws UserError if it is not there
  std::filesystem::path checkpoint(const std::string& id, int64_t step) const;

  /// The finished run with this identity, if it recorded all that is wanted now and its trace can be read.
  /// Notes that it was used.
  std::optional<RunResult> find(const PlannedRun& run) const;
  /// The identity that a finished run was executed with; null if none is there, or its record is damaged.
  Json identity(const std::string& id) const;
  /// Makes the folder empty, with config.json and capture.json in it. What an older run of this identity
  /// captured is wanted again, so that two suites with different checks do not take turns.
  void begin(PlannedRun& run) const;
  void finish(const PlannedRun& run, const RunResult& result) const;

 private:
  std::filesystem::path runs_;
};

}  // namespace parity
