// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "harness/trace/write/trace_file.hpp"

namespace parity::trace {

/// Runs jobs on a TraceFile in order, on a thread of its own. The queue is bounded by the bytes that its jobs
/// hold. A trainer that records faster than the disk can write waits.
class TraceWriter {
 public:
  using Job = std::packaged_task<void(TraceFile&)>;  // move-only, unlike std::function

  explicit TraceWriter(std::unique_ptr<TraceFile> file, size_t most_bytes = size_t{512} << 20);
  /// Runs the queued jobs.
  ~TraceWriter();

  /// Queues a job.
  /// \param bytes  memory that the job holds until it is done
  /// \throws the exception of an earlier job; jobs after a failed one are dropped
  void submit(Job job, size_t bytes = 0);
  /// Waits until all jobs are done. \throws the exception of a job
  void drain();

 private:
  void work();
  void rethrow() const;  ///< with mutex_ held

  std::unique_ptr<TraceFile> file_;
  size_t most_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Job, size_t>> queue_;
  size_t bytes_ = 0;  ///< held by queued and running jobs
  bool busy_ = false;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: starts when the rest is there
};

}  // namespace parity::trace
