// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/suite/slurm/attempt.hpp"
#include "harness/suite/slurm/job_state.hpp"
#include "harness/suite/slurm/site.hpp"
#include "harness/suite/slurm/tool_call.hpp"

namespace parity::suite {

/// The jobs of this user, as squeue lists them. One look serves all jobs that parity watches.
class JobQueue {
 public:
  explicit JobQueue(const Site& site) : site_(site) {}

  const Site& site() const { return site_; }
  /// Starts a look if one is due, and reads the answer of the last one. Never blocks.
  void poll();
  /// Returns the number of looks begun. A look with a larger number shows jobs submitted before now.
  int64_t looks_begun() const { return begun_; }
  /// Returns the number of the look whose answer is known; 0: none.
  int64_t look() const { return known_; }
  /// Returns a job in the last answer; null if it was not listed.
  const JobEntry* find(const std::string& id) const;
  /// Returns the id of a job in the last answer; "" if no job has this name.
  std::string id_of(const std::string& name) const;

  /// Registers a job for send_cancels(). \param id  "": the job is cancelled by its name
  void cancel(const std::string& id, const Attempt& attempt);
  /// Cancels the registered jobs with one or two commands, which may take a while, and marks them as
  /// cancelled.
  void send_cancels();

  /// Notes that jobs wait for a place in the queue, once until one is accepted.
  void note_full(const std::string& problem);
  void note_accepted() { full_noted_ = false; }
  void note(std::string text) { news_.push_back(std::move(text)); }
  /// Returns what a reader should know, since the last call.
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

 private:
  void read(const ToolAnswer& answer);

  Site site_;
  std::optional<ToolCall> call_;
  std::chrono::steady_clock::time_point next_;
  std::optional<std::chrono::steady_clock::time_point> silent_since_;
  bool silence_noted_ = false, full_noted_ = false;
  int64_t begun_ = 0, known_ = 0;
  JobList jobs_;
  std::vector<Attempt> cancelled_;        ///< registered by cancel()
  std::vector<std::string> ids_, names_;  ///< of those, one of them for each
  std::vector<std::string> news_;
};

}  // namespace parity::suite
