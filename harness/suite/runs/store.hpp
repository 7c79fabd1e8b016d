// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/results/failure_kind.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// The failure of a run that did not finish.
struct RunFailure {
  results::FailureKind kind = results::FailureKind::crashed;
  std::string message;  ///< a sentence with rank, step and reason

  Json to_json() const { return {{"kind", name_of(kind)}, {"message", message}}; }
  /// Returns the failure of a record. \throws UserError, or Json::exception if it is damaged
  static RunFailure from_json(const Json& json) {
    return {parse_enum<results::FailureKind>(json.at("kind").get<std::string>()),
            json.at("message").get<std::string>()};
  }
};

/// The result of a run.
struct RunResult {
  std::filesystem::path folder;
  bool cached = false;
  double seconds = 0;
  std::string ended;  ///< time of the end in UTC: "2026-11-23T10:00:00Z"
  std::optional<RunFailure> failure;
  std::string stderr_tail;
  std::filesystem::path log;  ///< stderr of the failed rank; empty if it wrote nothing

  bool complete() const { return !failure; }
};

/// The folder `runs` of an output folder: runs/<id>/{run.json, config.json, capture.json, trace.h5, stdout,
/// stderr, ...}.
///
/// run.json is written last, so a folder without it belongs to a run that was killed.
class RunStore {
 public:
  explicit RunStore(const std::filesystem::path& out) : runs_(out / "runs") {}
  /// Makes a store that has the run `id` in another folder, where it is executed.
  RunStore(const std::filesystem::path& out, std::string id, std::filesystem::path folder)
      : runs_(out / "runs"), moved_id_(std::move(id)), moved_to_(std::move(folder)) {}

  const std::filesystem::path& runs() const { return runs_; }
  std::filesystem::path folder(const std::string& id) const {
    return id == moved_id_ ? moved_to_ : runs_ / id;
  }
  std::filesystem::path trace(const std::string& id) const { return folder(id) / "trace.h5"; }
  /// Returns the absolute path of the checkpoint that a run wrote after an update.
  /// \throws UserError if there is no such folder
  std::filesystem::path checkpoint(const std::string& id, int64_t step) const;

  /// Returns the finished run with this identity, if it recorded everything in `run.capture` and its trace
  /// can be read. Marks the run as used now. Also returns a run that failed for want of a device on a machine
  /// without any GPU driver: a driver or another plug-in would be another identity.
  std::optional<RunResult> find(const PlannedRun& run) const;
  /// Returns the identity of a finished run; null if there is no such run, or its record is damaged.
  Json identity(const std::string& id) const;
  /// Adds the capture of an older run with this identity to `run.capture`. Otherwise two suites with
  /// different checks would overwrite each other's runs in turn.
  void add_stored_capture(PlannedRun& run) const;
  /// Empties the folder and writes config.json and capture.json, after add_stored_capture().
  void begin(PlannedRun& run) const;
  void finish(const PlannedRun& run, const RunResult& result) const;
  /// Replaces the run's folder by one in which the run was executed, on the same file system.
  /// \throws UserError if it cannot be moved
  void adopt(const std::string& id, const std::filesystem::path& executed) const;

 private:
  std::filesystem::path runs_;
  std::string moved_id_;  ///< "": every run is in runs_
  std::filesystem::path moved_to_;
};

}  // namespace parity::suite
