// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "harness/results/failure_kind.hpp"
#include "harness/suite/slurm/attempt.hpp"
#include "harness/suite/slurm/commands.hpp"
#include "harness/suite/slurm/queue.hpp"

namespace parity::suite {

/// How a job ended.
struct JobEnd {
  enum class Kind {
    result,   ///< it wrote a result
    lost,     ///< its node or the scheduler took it away, so the same job may end well
    expired,  ///< its time limit ended it
    failed,   ///< it left no result, for a reason that another try does not change
  };
  Kind kind = Kind::failed;
  results::FailureKind failure = results::FailureKind::crashed;
  std::string message;  ///< a sentence, unless there is a result
};

/// A job to submit or to find again.
struct JobRequest {
  Attempt attempt;
  JobNeeds needs = {};
  std::string label = {};              ///< of its run, for messages
  std::filesystem::path program = {};  ///< parity, as the nodes see it
  bool is_new = true;                  ///< false: an earlier process may have submitted it
};

/// One job, from its submission to its end. No member function blocks for long.
///
/// A result of the job ends it, whatever the scheduler says. Only a job without a result is asked for in the
/// queue, then with scontrol and sacct.
class SlurmJob {
 public:
  SlurmJob(JobRequest request, JobQueue& queue);

  const Attempt& attempt() const { return request_.attempt; }
  /// \return whether the job has ended
  bool poll();
  const JobEnd& end() const { return end_; }
  /// Returns whether the job runs on a node.
  bool has_started() const { return started_ || (!last_.word.empty() && last_.state == JobState::running); }
  /// Ends the job. JobQueue::send_cancels() tells the scheduler.
  void cancel();

 private:
  enum class Phase {
    unsubmitted,
    looking,  ///< for a job that an earlier process may have submitted
    submitting,
    refused,   ///< by a full queue
    watched,   ///< in the queue or running
    asking,    ///< it has ended: scontrol or sacct say how
    settling,  ///< its result may still be on its way to this machine
    ended,
  };

  void enter(Phase phase);
  void submit();
  void read_submission(const ToolAnswer& answer);
  void find_by_name();
  void watch();
  void ask();
  void settle();
  void conclude(const JobEntry& entry);
  void finish(JobEnd::Kind kind, results::FailureKind failure, const std::string& message);
  void give_up(const std::string& problem);
  std::string on_node(const JobEntry& entry) const;
  bool has_result();

  JobRequest request_;
  JobQueue& queue_;
  Phase phase_;
  std::string id_;
  std::optional<ToolCall> call_;
  bool asks_sacct_ = false;
  bool started_ = false;
  int64_t look_ = 0;                                  ///< the queue's looks after this one show the job
  JobEntry last_;                                     ///< in the queue, or at its end
  std::chrono::steady_clock::time_point since_;       ///< of the phase
  std::chrono::steady_clock::time_point next_check_;  ///< for a result
  std::optional<std::chrono::steady_clock::time_point> first_refusal_, hopeless_since_;
  JobEnd end_;
};

}  // namespace parity::suite
