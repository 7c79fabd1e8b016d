// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// The folder of one job: OUT/jobs/RUN/TOKEN.
///
/// | file         | written by | content                                                         |
/// | job.json     | parity run | what to execute, and the job's name                             |
/// | script.sh    | parity run | the job's script                                                |
/// | id           | parity run | the scheduler's number of the job                               |
/// | cancelled    | parity run | present if the job must not be found again                      |
/// | started.json | the job    | {"host", "job", "started"}                                      |
/// | job.log      | the job    | output of its script                                            |
/// | run/         | the job    | the folder of the run, which moves to OUT/runs when it has ended |
/// | result.json  | the job    | the result; written last                                        |
///
/// Each job has its own folder. A job on a node that the scheduler lost may go on, and must not write between
/// the files of its successor.
class Attempt {
 public:
  explicit Attempt(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Makes the folder of a new job below `parent` and writes job.json, with the job's name.
  /// \throws UserError if it cannot be written
  static Attempt create(const std::filesystem::path& parent, Json task);
  /// Returns the newest job below `parent` that was not cancelled and whose task `fits`.
  template <class Fits>
  static std::optional<Attempt> find(const std::filesystem::path& parent, const Fits& fits) {
    std::optional<Attempt> newest;
    std::error_code error;
    for (std::filesystem::directory_iterator at(parent, error), end; !error && at != end;
         at.increment(error)) {
      const Attempt attempt(at->path());
      const bool newer = !newest || newest->folder_ < attempt.folder_;
      if (newer && !attempt.is_cancelled() && fits(attempt.task()))
        newest = attempt;
    }
    return newest;
  }

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path run_folder() const { return folder_ / "run"; }
  std::filesystem::path script() const { return folder_ / "script.sh"; }
  std::filesystem::path log() const { return folder_ / "job.log"; }
  std::string name() const;  ///< of the job; no other job has it

  /// Return the content of a file; null or "" if it is not there or damaged.
  Json task() const { return content("job.json"); }
  Json started() const { return content("started.json"); }
  Json result() const { return content("result.json"); }
  std::string id() const;

  void write_id(const std::string& id) const;
  void write_started(const Json& started) const;
  void write_result(const Json& result) const;
  bool is_cancelled() const;
  void mark_cancelled() const;

 private:
  Json content(const char* name) const;

  std::filesystem::path folder_;
};

}  // namespace parity::suite
